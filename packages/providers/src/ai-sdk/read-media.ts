/** Converts files in AI SDK messages to our parts. */
import type { DocumentPart, ImagePart, TextPart } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { textIn } from "./fields.ts";
import { toKeptFile } from "./file-data.ts";

/** First base64 characters of each image type, because a message may state only `image`. */
const beginnings: readonly (readonly [beginning: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** Files at a URL are not fetched: a text describes them instead. */
export function readFile(
  data: unknown,
  {
    mediaType: stated,
    filename: name,
  }: { readonly mediaType?: string; readonly filename?: string },
): ImagePart | DocumentPart | TextPart {
  const file = toKeptFile(data);
  if (file?.type !== "data") {
    const where = file === undefined ? "known only to its provider" : `at ${file.url}`;
    return { type: "text", text: `[${name ?? "a file"} of type ${stated ?? "unknown"} ${where}]` };
  }
  const mediaType = isFull(stated) ? stated : detect(stated, file.data);
  return mediaType.startsWith("image/")
    ? { type: "image", mediaType, data: file.data }
    : document(mediaType, file.data, name);
}

/** Reads a `file` or `image` part from any version of the AI SDK. */
export function readFilePart(part: Fields): ImagePart | DocumentPart | TextPart {
  const isImage = part["type"] === "image";
  const mediaType = textIn(part, "mediaType") ?? (isImage ? "image" : undefined);
  const filename = textIn(part, "filename");
  return readFile(isImage ? part["image"] : part["data"], {
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
  });
}

function document(mediaType: string, data: string, name: string | undefined): DocumentPart {
  return { type: "document", mediaType, data, ...(name !== undefined && { name }) };
}

/** Excludes `image` and `image/*`, which leave the exact type open. */
function isFull(mediaType: string | undefined): mediaType is string {
  return mediaType !== undefined && /^[^/]+\/[^*]+$/.test(mediaType);
}

function detect(stated: string | undefined, data: string): string {
  const found = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
  if (found !== undefined) return found;
  if (stated?.startsWith("image") === true) return "image/png";
  return stated?.startsWith("text") === true ? "text/plain" : "application/octet-stream";
}
