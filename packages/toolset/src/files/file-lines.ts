/** Reads a window of lines from a file of any size, in bounded memory. */
import type { FileHandle } from "node:fs/promises";
import { FileError } from "./file-error.ts";

export interface LineWindow {
  readonly text: string;
  /** Number of lines in `text`. 0 only for an empty file. */
  readonly lineCount: number;
  /** Whether more lines follow `text`. */
  readonly hasMore: boolean;
  /** Number of lines in the file. Undefined if counting would have taken too long. */
  readonly totalLines: number | undefined;
  /** Numbers of the lines in `text` that are truncated. */
  readonly cutLines: readonly number[];
}

export interface LineWindowOptions {
  /** First line wanted, counted from 1. */
  readonly offset: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  /** Limit per line. */
  readonly maxLineBytes: number;
  /** How many bytes to read after the window, to count the lines of the file. */
  readonly maxCountedBytes: number;
  /** The file as the model named it, for messages. */
  readonly path: string;
}

const newline = 0x0a;
const chunkBytes = 64 * 1024;

/** Reads chunks of UTF-8. Throws `FileError`: `binary` at a NUL byte, `past_end` if the file has fewer lines. */
export async function readLineWindow(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  options: LineWindowOptions,
): Promise<LineWindow> {
  const window = new Window(options);
  let counted = 0;
  for await (const chunk of chunks) {
    if (window.isFull) {
      counted += chunk.length;
      if (counted > options.maxCountedBytes) return window.toResult(false);
    } else if (chunk.includes(0)) {
      throw new FileError(
        "binary",
        `${options.path} is not a text file: it contains NUL bytes. Only text, images (PNG, JPEG, GIF, WebP) and PDFs can be read.`,
      );
    }
    window.take(chunk);
  }
  return window.toResult(true);
}

class Window {
  readonly #options: LineWindowOptions;
  readonly #kept: Buffer[] = [];
  readonly #cutLines: number[] = [];
  #keptBytes = 0;
  #lineCount = 0;
  /** Number of the line that the next byte belongs to. */
  #line = 1;
  #isAtLineStart = true;
  /** Bytes of the current line within the window. */
  #lineBytes = 0;
  isFull = false;

  constructor(options: LineWindowOptions) {
    this.#options = options;
  }

  take(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const at = chunk.indexOf(newline, start);
      const isWhole = at >= 0;
      const end = isWhole ? at + 1 : chunk.length;
      if (!this.isFull && this.#line >= this.#options.offset) {
        this.#keep(chunk.subarray(start, end), isWhole);
      }
      this.#isAtLineStart = isWhole;
      if (isWhole) {
        this.#line += 1;
        this.#lineBytes = 0;
      }
      start = end;
    }
  }

  #keep(piece: Buffer, isWhole: boolean): void {
    const { maxLines, maxBytes, maxLineBytes } = this.#options;
    if (this.#isAtLineStart) {
      if (this.#lineCount === maxLines || this.#keptBytes >= maxBytes) {
        this.isFull = true;
        return;
      }
      this.#lineCount += 1;
    }
    const room = Math.max(0, maxLineBytes - this.#lineBytes);
    const body = isWhole ? piece.subarray(0, -1) : piece;
    const isCut = body.length > room;
    if (isCut && this.#cutLines.at(-1) !== this.#line) this.#cutLines.push(this.#line);
    // Cut between two characters: drop the bytes of a partial one.
    const kept = isCut ? body.subarray(0, startOfCharacter(body, room)) : body;
    this.#push(kept);
    this.#lineBytes += isCut ? maxLineBytes : kept.length;
    if (isWhole) this.#push(piece.subarray(-1));
  }

  #push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    // A copy, because the next chunk overwrites the buffer.
    this.#kept.push(Buffer.from(bytes));
    this.#keptBytes += bytes.length;
  }

  toResult(isAtEnd: boolean): LineWindow {
    const { offset, path } = this.#options;
    const totalLines = this.#isAtLineStart ? this.#line - 1 : this.#line;
    if (isAtEnd && offset > 1 && this.#lineCount === 0) {
      throw new FileError(
        "past_end",
        `${path} has no line ${offset} (lines: ${totalLines}). Use a smaller offset.`,
      );
    }
    return {
      text: Buffer.concat(this.#kept).toString("utf8"),
      lineCount: this.#lineCount,
      hasMore: this.isFull,
      totalLines: isAtEnd ? totalLines : undefined,
      cutLines: this.#cutLines,
    };
  }
}

function startOfCharacter(bytes: Buffer, wanted: number): number {
  let at = wanted;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

/** Reuses one buffer: a chunk is valid until the next one. */
export async function* chunksOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
