/** Reads a small file of text, and says why not in words that fit behind its path. */
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

// Windows has neither.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Gives at most so many bytes; `isCut` says that there are more. `mayLead` is asked where a path with links really leads. */
export async function readTextFile(
  path: string,
  maxBytes: number,
  mayLead: (real: string) => boolean = () => true,
): Promise<ReadFile> {
  try {
    const real = await realpath(path);
    if (!mayLead(real)) {
      return { type: "problem", reason: "is a link that leads out of the project's folder" };
    }
    // A pipe would be waited for, a device might act on being opened: look first.
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
  return isThere ? { type: "problem", reason: "is a link that leads nowhere" } : { type: "absent" };
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
    // In the middle of a character nothing is wrong if the rest was cut off.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return { type: "text", text, bytes, isCut };
  } catch {
    // The one thing that a decoder throws for.
    return { type: "problem", reason: "is not text in UTF-8" };
  }
}

export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && "syscall" in thrown && "code" in thrown;
}
