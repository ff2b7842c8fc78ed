/** Reads a whole text file unchanged, including line ends and byte order mark. */
import type { FileHandle } from "node:fs/promises";
import { FileError, onFile } from "./file-error.ts";
import type { Folder } from "./folder.ts";

/** Larger than any text file worth editing. */
const maxTextBytes = 10_000_000;

/** Throws `FileError`: `too_large`, or `binary` if the file is not UTF-8. */
export async function readTextIn(folder: Folder, name: string, path: string): Promise<string> {
  const handle = await folder.openFile(name, path);
  try {
    return await readText(handle, path);
  } finally {
    await handle.close();
  }
}

async function readText(handle: FileHandle, path: string): Promise<string> {
  const { size } = await handle.stat();
  if (size > maxTextBytes) {
    const problem = `${path} has ${size.toLocaleString("en-US")} bytes, but only files up to ${maxTextBytes.toLocaleString("en-US")} can be edited. Use bash.`;
    throw new FileError("too_large", problem);
  }
  const bytes = await onFile(path, () => handle.readFile());
  const text = toText(bytes);
  if (text !== undefined) return text;
  throw new FileError("binary", `${path} is not a UTF-8 text file, so it cannot be edited.`);
}

/** Returns undefined if the bytes are not text and would not survive a round trip. */
function toText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder's error has no further details.
    return undefined;
  }
}
