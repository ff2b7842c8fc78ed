/** Checks whether an image or a document may become part of a conversation: one that a vendor rejects breaks every later request. */
import type { ChatMessage, DocumentPart, ImagePart, MediaLimits } from "@capstan/kernel";
import { invalid } from "../errors/session-error.ts";
import { imageSizeOf } from "./image-size.ts";

/** For a provider that states no limits: refuses what no vendor accepts. */
const defaultMediaLimits: MediaLimits = {
  imageTypes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  documentTypes: ["application/pdf", "text/*"],
  maxImageBytes: 20_000_000,
  maxImagePixels: 8_000,
  maxDocumentBytes: 32_000_000,
};

/** Throws a `SessionError` that names the part, before any of the messages is stored. */
export function checkMedia(messages: readonly ChatMessage[], limits?: MediaLimits): void {
  for (const { role, content } of messages.filter((message) => message.role === "user")) {
    if (typeof content === "string") continue;
    for (const [index, part] of content.entries()) {
      const problem = part.type === "text" ? undefined : problemOfMedia(part, limits);
      if (problem === undefined) continue;
      throw invalid(
        `Part ${index} of the ${role} message is ${names[part.type]} that cannot be sent: ${problem}`,
      );
    }
  }
}

const names = { text: "a text", image: "an image", document: "a document" } as const;

/** Returns the problem and its remedy; undefined if the part may be sent. */
export function problemOfMedia(
  part: ImagePart | DocumentPart,
  limits: MediaLimits = defaultMediaLimits,
): string | undefined {
  const { mediaType } = part;
  const types = part.type === "image" ? limits.imageTypes : limits.documentTypes;
  // The content of a URL is unknown until the vendor has fetched it.
  const isOpen = "url" in part && part.type === "image" && mediaType === "image/*";
  if (!isOpen && !types.some((type) => isOfType(mediaType, type))) {
    return `its type is ${JSON.stringify(mediaType.slice(0, 60))}, but the model accepts ${types.join(", ")}. Convert it`;
  }
  if ("url" in part) return problemOfUrl(part.url, "data" in part);
  const { data } = part;
  if (!isBase64(data)) return "its data is not base64. Encode the bytes, without line breaks";
  const maxBytes = part.type === "image" ? limits.maxImageBytes : limits.maxDocumentBytes;
  const bytes = byteLengthOf(data);
  if (bytes > maxBytes) {
    return `it has ${count(bytes)} bytes, but the model accepts at most ${count(maxBytes)}. Make it smaller`;
  }
  return part.type === "image" ? problemOfImage(part, limits) : undefined;
}

const maxUrlChars = 8_192;

function problemOfUrl(url: string, hasData: boolean): string | undefined {
  if (hasData) return "it has data and a URL. Omit one of them";
  const parsed = url.length <= maxUrlChars && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    return `its URL must be http or https and have at most ${count(maxUrlChars)} characters. Send the bytes as data instead`;
  }
  if (parsed.username === "" && parsed.password === "") return undefined;
  return "its URL contains a user or a password, which the vendor would see. Send the bytes as data instead";
}

function problemOfImage(
  { mediaType, data }: Extract<ImagePart, { readonly data: string }>,
  { maxImagePixels: maxPixels }: MediaLimits,
): string | undefined {
  const size = imageSizeOf(data);
  if (size?.mediaType !== mediaType) {
    const found =
      size === undefined ? "are not an image that a model can read" : `are ${size.mediaType}`;
    return `its type is ${mediaType}, but its bytes ${found}. Check its source`;
  }
  const { width, height } = size;
  if (width === 0 || height === 0) return "it is empty";
  if (Math.max(width, height) <= maxPixels) return undefined;
  return `it is ${width} × ${height} pixels, but the model accepts at most ${count(maxPixels)} per side. Scale it down`;
}

function isOfType(mediaType: string, type: string): boolean {
  return type.endsWith("/*") ? mediaType.startsWith(type.slice(0, -1)) : mediaType === type;
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

function byteLengthOf(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
