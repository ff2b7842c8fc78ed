import type { DocumentPart, ImagePart, MediaLimits } from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import { assert, constantFrom, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { problemOfMedia } from "../../src/media/check-media.ts";
import { imageSizeOf } from "../../src/media/image-size.ts";

const base64 = (bytes: readonly number[]): string => Buffer.from(bytes).toString("base64");
const text = (value: string): number[] => [...Buffer.from(value, "latin1")];

const png = (width: number, height: number): string => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return base64([0x89, ...text("PNG\r\n\x1a\n"), 0, 0, 0, 13, ...text("IHDR"), ...size]);
};

/** With a preview of so many bytes before the frame. */
const jpeg = (previewBytes: number): string => {
  const segment = [0xff, 0xe1, (previewBytes + 2) >> 8, (previewBytes + 2) & 0xff];
  const frame = [0xff, 0xc2, 0, 11, 8, 0x02, 0x58, 0x03, 0x20, 1, 1, 0x11, 0];
  return base64([0xff, 0xd8, ...segment, ...Array<number>(previewBytes).fill(7), ...frame]);
};

const riff = [...text("RIFF"), 0, 0, 0, 0, ...text("WEBP")];

describe("the size of an image", () => {
  test.each([
    ["PNG", png(640, 480), { mediaType: "image/png", width: 640, height: 480 }],
    ["JPEG", jpeg(10), { mediaType: "image/jpeg", width: 800, height: 600 }],
    [
      "JPEG with a large preview",
      jpeg(60_000),
      { mediaType: "image/jpeg", width: 800, height: 600 },
    ],
    [
      "GIF",
      base64([...text("GIF89a"), 0x20, 0x03, 0x58, 0x02]),
      { mediaType: "image/gif", width: 800, height: 600 },
    ],
    [
      "WebP",
      base64([...riff, ...text("VP8 "), ...Array<number>(10).fill(0), 0x20, 0x03, 0x58, 0x02]),
      { mediaType: "image/webp", width: 800, height: 600 },
    ],
    [
      "lossless WebP",
      base64([...riff, ...text("VP8L"), 0, 0, 0, 0, 0x2f, 0x1f, 0xc3, 0x95, 0x00]),
      { mediaType: "image/webp", width: 800, height: 600 },
    ],
    [
      "extended WebP",
      base64([...riff, ...text("VP8X"), ...Array<number>(8).fill(0), 0x1f, 0x03, 0, 0x57, 0x02, 0]),
      { mediaType: "image/webp", width: 800, height: 600 },
    ],
  ])("is read from the first bytes of a %s", (_, data, size) => {
    expect(imageSizeOf(data)).toEqual(size);
  });

  test("is unknown for anything else, and nothing makes it fail or hang", () => {
    const anyBytes = uint8Array({ maxLength: 200 });
    const starts = constantFrom([], [0xff, 0xd8, 0xff], riff, text("GIF8"), [0x89, ...text("PNG")]);

    assert(
      property(starts, anyBytes, (start, bytes) => {
        const size = imageSizeOf(base64([...start, ...bytes]));

        return size === undefined || (size.width >= 0 && size.height >= 0);
      }),
    );
  });
});

const limits: MediaLimits = {
  imageTypes: ["image/png"],
  documentTypes: ["application/pdf", "text/*"],
  maxImageBytes: 200,
  maxImagePixels: 1_000,
  maxDocumentBytes: 10,
};
const image = (data: string, mediaType = "image/png"): ImagePart => ({
  type: "image",
  mediaType,
  data,
});
const document = (data: string, mediaType: string): DocumentPart => ({
  type: "document",
  mediaType,
  data,
});

const link = (url: string, mediaType = "image/png"): ImagePart => ({
  type: "image",
  mediaType,
  url,
});

describe("media at the door", () => {
  test.each([
    ["an image", tinyImage],
    ["a PDF", document(base64([1, 2, 3]), "application/pdf")],
    ["a text of any kind", document(base64([1, 2, 3]), "text/markdown")],
    ["an image on the limit", image(png(1_000, 1))],
    ["an image by its URL", link("https://a.example/x.png")],
    ["an image whose type is not known", link("http://a.example/x", "image/*")],
  ])("lets %s pass", (_, part) => {
    expect(problemOfMedia(part, limits)).toBeUndefined();
  });

  test.each([
    ["a type that the model does not take", image(png(1, 1), "image/bmp"), "image/bmp"],
    ["a document of another type", document("AAAA", "application/zip"), "application/zip"],
    ["a URL that no vendor fetches", link("file:///etc/passwd"), "must be http or https"],
    ["a URL that is too long", link(`https://a.example/${"x".repeat(9_000)}`), "8,192"],
    ["a URL with a password", link("https://me:secret@a.example/x"), "a user or a password"],
    ["data and a URL", { ...tinyImage, url: "https://a.example/x" }, "data and a URL"],
    [
      "a URL of a type that the model does not take",
      link("https://a.example/x", "image/bmp"),
      "image/bmp",
    ],
    ["what is not base64", image("data:image/png;base64,AAAA"), "not base64"],
    ["base64 that is cut", image(tinyImage.data.slice(0, -1)), "not base64"],
    ["too many bytes", image(png(1, 1) + "AAAA".repeat(100)), "at most 200"],
    [
      "a document of too many bytes",
      document(base64(text("12345678901")), "text/plain"),
      "11 bytes",
    ],
    ["too many pixels", image(png(1, 1_001)), "1 × 1001"],
    ["no pixels", image(png(0, 5)), "empty"],
    ["bytes of another type", image(jpeg(1)), "image/jpeg"],
    ["bytes of no image", image("AAAA"), "not an image"],
    ["no bytes at all", image(""), "not an image"],
  ])("refuses %s, and says why", (_, part, why) => {
    expect(problemOfMedia(part, limits)).toContain(why);
  });
});
