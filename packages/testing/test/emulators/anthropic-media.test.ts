import { describe, test } from "vitest";
import {
  call,
  echo,
  expectRefusal,
  image,
  pdf,
  picture,
  plain,
  result,
  talk,
} from "./anthropic-request.ts";
import type { RefusalRow } from "./anthropic-request.ts";

const loop = { ...plain, tools: [echo], messages: talk("Hi", [call()], [result()]) };
const media: readonly RefusalRow[] = [
  [
    "a picture of another type",
    { ...plain, messages: talk([image(picture(9, 9), "image/jpeg")]) },
    "The image was specified using the image/jpeg media type",
    { ...plain, messages: talk([image()]) },
  ],
  [
    "a picture of no type",
    { ...plain, messages: talk([image(picture(9, 9), "image/bmp")]) },
    "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    { ...plain, messages: talk([image()]) },
  ],
  [
    "a picture that is not base64",
    { ...plain, messages: talk([image("not base64!")]) },
    "messages.0.content.0.image.source.base64.data: Invalid base64 data",
    { ...plain, messages: talk([image()]) },
  ],
  [
    "a picture that is none",
    { ...plain, messages: talk([image(Buffer.from("hello, I am a text").toString("base64"))]) },
    "messages.0.content.0.image.source.base64.data: Could not process image",
    { ...plain, messages: talk([image()]) },
  ],
  [
    "a picture that is too large",
    { ...plain, messages: talk([image("AAAA".repeat(501))]) },
    " MB maximum: 2004 bytes > 2000 bytes",
    { ...plain, messages: talk([image()]) },
  ],
  [
    "a picture with too many pixels",
    { ...plain, messages: talk([image(picture(8001, 10))]) },
    "image dimensions exceed max allowed size: 8000 pixels",
    { ...plain, messages: talk([image(picture(8000, 10))]) },
  ],
  [
    "a larger picture among many, also in a result",
    {
      ...loop,
      messages: talk(
        "Hi",
        [call()],
        [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: Array(21).fill(image(picture(2001, 1))),
          },
        ],
      ),
    },
    "messages.2.content.0.tool_result.content.0.image",
    {
      ...loop,
      messages: talk(
        "Hi",
        [call()],
        [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: Array(20).fill(image(picture(2001, 1))),
          },
        ],
      ),
    },
  ],
  [
    "too many pictures",
    { ...plain, messages: talk(Array(101).fill(image())) },
    "too many images: 101",
    { ...plain, messages: talk(Array(100).fill(image())) },
  ],
  [
    "a document of another type",
    { ...plain, messages: talk([pdf("%PDF-1.7", "application/zip")]) },
    "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
    { ...plain, messages: talk([pdf()]) },
  ],
  [
    "a document that is not base64",
    {
      ...plain,
      messages: talk([
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "%PDF" },
        },
      ]),
    },
    "messages.0.content.0.document.source.base64.data: Invalid base64 data",
    { ...plain, messages: talk([pdf()]) },
  ],
  [
    "a document that is none",
    { ...plain, messages: talk([pdf("hello")]) },
    "The PDF specified was not valid",
    { ...plain, messages: talk([pdf()]) },
  ],
];

/** Nothing but the header of a picture, by type. */
const headers: readonly (readonly [string, (width: number, height: number) => Buffer])[] = [
  ["image/png", (width, height) => Buffer.from(picture(width, height), "base64")],
  [
    "image/gif",
    (width, height) => {
      const bytes = Buffer.alloc(16);
      bytes.write("GIF89a", "latin1");
      bytes.writeUInt16LE(width, 6);
      bytes.writeUInt16LE(height, 8);
      return bytes;
    },
  ],
  [
    "image/jpeg",
    (width, height) => {
      const bytes = Buffer.from("ffd8ffe000040000ffc00008080000000003000000", "hex");
      bytes.writeUInt16BE(height, 13);
      bytes.writeUInt16BE(width, 15);
      return bytes;
    },
  ],
  [
    "image/webp",
    (width, height) => {
      const bytes = Buffer.alloc(30);
      bytes.write("RIFF", "latin1");
      bytes.write("WEBPVP8X", 8, "latin1");
      bytes.writeUIntLE(width - 1, 24, 3);
      bytes.writeUIntLE(height - 1, 27, 3);
      return bytes;
    },
  ],
];

test.each(headers)("the size of an %s is read from its bytes", async (type, toBytes) => {
  const shown = (width: number, height: number) => ({
    ...plain,
    messages: talk([image(toBytes(width, height).toString("base64"), type)]),
  });

  await expectRefusal([
    "wide",
    shown(8001, 2),
    "dimensions exceed max allowed size",
    shown(8000, 2),
  ]);
  await expectRefusal([
    "high",
    shown(2, 8001),
    "dimensions exceed max allowed size",
    shown(2, 8000),
  ]);
});

describe("the Messages API refuses, for its media", () => {
  test.each(media)("%s", async (...row) => {
    await expectRefusal(row);
  });
});
