/** A whole text file in memory, as it is: line ends and byte order mark included. */
import type { FileHandle } from "node:fs/promises";
import { FileError, onFile } from "./file-error.ts";
import type { Folder } from "./folder.ts";

/** More than a text that anybody edits has. */
const maxTextBytes = 10_000_000;

/** Throws `FileError`: `too_large`, or `binary` for what is not UTF-8. */
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
    const problem = `${path} has ${size.toLocaleString("en-US")} bytes, and only files up to ${maxTextBytes.toLocaleString("en-US")} can be edited. Use bash.`;
    throw new FileError("too_large", problem);
  }
  const bytes = await onFile(path, () => handle.readFile());
  const text = toText(bytes);
  if (text !== undefined) return text;
  throw new FileError("binary", `${path} is not a text file in UTF-8, so it cannot be edited.`);
}

/** Undefined for what is not text: it would not come out again as it went in. */
function toText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // What the decoder threw says no more than that.
    return undefined;
  }
}
