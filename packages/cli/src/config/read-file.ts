/** Reads a small text file; reasons for a failure are phrased to follow the path. */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, open, realpath } from "node:fs/promises";

export type ReadFile =
  | {
      readonly type: "text";
      readonly text: string;
      readonly bytes: Buffer;
      readonly isCut: boolean;
    }
  | { readonly type: "absent" }
  /** `reason` completes "path …". */
  | { readonly type: "problem"; readonly reason: string };

// Windows has neither flag.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns at most `maxBytes` bytes; `isCut` means there are more. `mayLead` gets the real path after links are resolved. */
export async function readTextFile(
  path: string,
  maxBytes: number,
  mayLead: (real: string) => boolean = () => true,
): Promise<ReadFile> {
  try {
    const real = await realpath(path);
    if (!mayLead(real)) {
      return { type: "problem", reason: "is a link out of the project's folder" };
    }
    // Opening a pipe would block, and opening a device might have effects: check first.
    if (!(await lstat(real)).isFile()) return { type: "problem", reason: "is not a regular file" };
    const handle = await open(real, readFlags);
    try {
      return toText(await readAtMost(handle, maxBytes + 1), maxBytes);
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    if (thrown.code === "ENOENT" || thrown.code === "ENOTDIR") return absentOrDangling(path);
    return { type: "problem", reason: `cannot be read (${thrown.code ?? thrown.message})` };
  }
}

async function absentOrDangling(path: string): Promise<ReadFile> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  return isThere ? { type: "problem", reason: "is a dangling link" } : { type: "absent" };
}

async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const { bytesRead } = await handle.read(buffer, length, maxBytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function toText(read: Buffer, maxBytes: number): ReadFile {
  const isCut = read.length > maxBytes;
  const bytes = isCut ? read.subarray(0, maxBytes) : read;
  try {
    // A character cut in half by the limit is not an error.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return { type: "text", text, bytes, isCut };
  } catch {
    // Decoders throw for invalid UTF-8 only.
    return { type: "problem", reason: "is not UTF-8 text" };
  }
}

export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && "syscall" in thrown && "code" in thrown;
}
