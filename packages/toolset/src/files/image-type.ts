/** Detects the image types that models accept, by the first bytes of a file. */
import type { FileHandle } from "node:fs/promises";

export async function imageTypeOf(handle: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
  const start = buffer.subarray(0, bytesRead).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return /^RIFF....WEBP/s.test(start) ? "image/webp" : undefined;
}
