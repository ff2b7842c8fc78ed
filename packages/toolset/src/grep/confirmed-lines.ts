/**
 * Confirms lines that another program found by their paths: a folder on the way may have been a link for an instant. Only
 * lines that are in the file, opened without following links, are shown.
 */
import { FileError } from "../files/file-error.ts";
import type { Folder } from "../files/folder.ts";
import { inFolder } from "../files/folder.ts";
import { maxSearchedBytes } from "./search.ts";

export class ConfirmedLines {
  readonly #start: Folder;
  #path: string | undefined;
  #lines: readonly Buffer[] = [];

  /** `start` stays open and is closed by the caller. */
  constructor(start: Folder) {
    this.#start = start;
  }

  /** Whether the file has these bytes as this line, counted from 1. The last file is remembered: lines come file by file. */
  async has(path: string, line: number, bytes: Buffer): Promise<boolean> {
    if (path !== this.#path) {
      this.#lines = await linesIn(this.#start, path.split("/"));
      this.#path = path;
    }
    return this.#lines[line - 1]?.equals(withoutEnd(bytes)) === true;
  }
}

/** Lines without their ends, in UTF-8 if the file is UTF-16. Empty if there is no such file any more. */
async function linesIn(start: Folder, parts: readonly string[]): Promise<readonly Buffer[]> {
  try {
    const bytes = toUtf8(await bytesIn(start, parts));
    const lines: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      const newline = bytes.indexOf(0x0a, at);
      const end = newline < 0 ? bytes.length : newline;
      lines.push(withoutEnd(bytes.subarray(at, end)));
      at = end + 1;
    }
    return lines;
  } catch (thrown) {
    // Gone, replaced by a link, or grown too large.
    if (thrown instanceof FileError) return [];
    throw thrown;
  }
}

async function bytesIn(folder: Folder, parts: readonly string[]): Promise<Buffer> {
  const [name = "", ...rest] = parts;
  if (rest.length > 0) {
    return inFolder(folder.enter(name, name), (inner) => bytesIn(inner, rest));
  }
  const handle = await folder.openFile(name, name);
  try {
    const { size } = await handle.stat();
    if (size > maxSearchedBytes) throw new FileError("too_large", `${name} is too large.`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** As ripgrep reads it: by the byte order mark, which is left out. */
function toUtf8(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return decoded(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return decoded(bytes, "utf-16be");
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
}

function decoded(bytes: Buffer, encoding: string): Buffer {
  return Buffer.from(new TextDecoder(encoding).decode(bytes));
}

function withoutEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  if (bytes[end - 1] === 0x0a) end -= 1;
  if (bytes[end - 1] === 0x0d) end -= 1;
  return bytes.subarray(0, end);
}
