/** Files in messages of the AI SDK, as parts of ours. */
import type { DocumentPart, ImagePart, TextPart } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { textIn } from "./fields.ts";
import { toKeptFile } from "./file-data.ts";

/** What a picture of this type begins with, in base64: a message may say no more than that it is one. */
const beginnings: readonly (readonly [beginning: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** What is elsewhere is not fetched: a text says what there was. */
export function readFile(
  data: unknown,
  {
    mediaType: stated,
    filename: name,
  }: { readonly mediaType?: string; readonly filename?: string },
): ImagePart | DocumentPart | TextPart {
  const file = toKeptFile(data);
  if (file?.type !== "data") {
    const where = file === undefined ? "that only its provider knows" : `at ${file.url}`;
    return { type: "text", text: `[${name ?? "a file"} of type ${stated ?? "unknown"} ${where}]` };
  }
  const mediaType = isFull(stated) ? stated : detect(stated, file.data);
  return mediaType.startsWith("image/")
    ? { type: "image", mediaType, data: file.data }
    : document(mediaType, file.data, name);
}

/** A part `file` or `image` of any version of the AI SDK. */
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

/** `image` and `image/*` leave open which. */
function isFull(mediaType: string | undefined): mediaType is string {
  return mediaType !== undefined && /^[^/]+\/[^*]+$/.test(mediaType);
}

function detect(stated: string | undefined, data: string): string {
  const found = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
  if (found !== undefined) return found;
  if (stated?.startsWith("image") === true) return "image/png";
  return stated?.startsWith("text") === true ? "text/plain" : "application/octet-stream";
}
