/** Reads a whole text file unchanged, including line ends and byte order mark. */
import type { FileHandle } from "node:fs/promises";
import type { Encoding } from "./encoding.ts";
import { decodeText } from "./encoding.ts";
import { FileError, onFile } from "./file-error.ts";
import { versionOf } from "./file-version.ts";
import type { Folder } from "./folder.ts";

/** Larger than any text file worth editing. */
export const maxTextBytes = 10_000_000;

export interface TextFile {
  readonly text: string;
  readonly encoding: Encoding;
  /** Identifies the content. */
  readonly version: string;
}

/** Throws `FileError`: `too_large`, or `binary` if the file is not text. */
export async function readTextIn(folder: Folder, name: string, path: string): Promise<TextFile> {
  const handle = await folder.openFile(name, path);
  try {
    return await readText(handle, path);
  } finally {
    await handle.close();
  }
}

async function readText(handle: FileHandle, path: string): Promise<TextFile> {
  const { size } = await handle.stat();
  if (size > maxTextBytes) {
    const problem = `${path} has ${size.toLocaleString("en-US")} bytes, but only files up to ${maxTextBytes.toLocaleString("en-US")} can be edited. Use bash.`;
    throw new FileError("too_large", problem);
  }
  const bytes = await onFile(path, () => handle.readFile());
  const decoded = decodeText(bytes);
  if (decoded !== undefined) return { ...decoded, version: versionOf(bytes) };
  throw new FileError("binary", `${path} is not a text file, so it cannot be edited.`);
}
