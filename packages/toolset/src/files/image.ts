/** Images that models accept, known by the first bytes of a file. */
import type { FileHandle } from "node:fs/promises";
import type { ToolContentPart } from "@capstan/kernel";
import { FileError, onFile } from "./file-error.ts";

/** The largest image that any model accepts. The session checks the limit of the current model. */
const maxImageBytes = 20_000_000;

/** `start` is the first 12 bytes as Latin-1. */
export function imageTypeOf(start: string): string | undefined {
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return /^RIFF....WEBP/s.test(start) ? "image/webp" : undefined;
}

export async function readImage(
  handle: FileHandle,
  mediaType: string,
  path: string,
): Promise<readonly ToolContentPart[]> {
  const { size } = await handle.stat();
  if (size > maxImageBytes) {
    const problem = `${path} is an image of ${size.toLocaleString("en-US")} bytes, but the limit is ${maxImageBytes.toLocaleString("en-US")}. Make it smaller.`;
    throw new FileError("too_large", problem);
  }
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await onFile(path, () => handle.read(bytes, 0, size, 0));
  const data = bytes.subarray(0, bytesRead).toString("base64");
  return [
    { type: "text", text: `${path} (${mediaType})` },
    { type: "image", mediaType, data },
  ];
}
