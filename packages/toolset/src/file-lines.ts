/** A window of lines out of a file of any size, in bounded memory. */
import type { FileHandle } from "node:fs/promises";
import { FileError } from "./file-error.ts";

export interface LineWindow {
  readonly text: string;
  /** How many lines `text` has. 0 only for an empty file. */
  readonly lineCount: number;
  /** Whether lines follow the last one of `text`. */
  readonly hasMore: boolean;
  /** The one line of `text` was longer than the window, and its rest is not in it. */
  readonly isCut: boolean;
}

export interface LineWindowOptions {
  /** The first line wanted, counted from 1. */
  readonly offset: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** For messages: the file as the model named it. */
  readonly path: string;
}

const newline = 0x0a;
const chunkBytes = 64 * 1024;

/** Reads whole lines as UTF-8. Throws `FileError`: `binary` at a NUL byte, `past_end` if the file has fewer lines. */
export async function readLineWindow(
  handle: FileHandle,
  options: LineWindowOptions,
): Promise<LineWindow> {
  const { bytes, isWhole } = await collectFrom(handle, options);
  const wantedEnd = endOfLine(bytes, options.maxLines);
  const fittingEnd =
    wantedEnd <= options.maxBytes
      ? wantedEnd
      : bytes.lastIndexOf(newline, options.maxBytes - 1) + 1;
  const isCut = fittingEnd === 0 && bytes.length > 0;
  const end = isCut ? options.maxBytes : fittingEnd;
  const shown = bytes.subarray(0, end);
  return {
    // Without a final flush the decoder keeps back a character that the cut went through.
    text: new TextDecoder().decode(shown, { stream: isCut }),
    lineCount: countNewlines(shown) + (shown.length > 0 && shown.at(-1) !== newline ? 1 : 0),
    hasMore: isCut ? !isWhole || bytes.includes(newline, end) : !isWhole || end < bytes.length,
    isCut,
  };
}

/** What starts at line `offset`: to the end of the file, or at least `maxBytes` + 1. */
async function collectFrom(
  handle: FileHandle,
  { offset, maxBytes, signal, path }: LineWindowOptions,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let isAtLineStart = true;
  for await (const chunk of chunksOf(handle, signal)) {
    if (chunk.includes(0)) {
      throw new FileError(
        "binary",
        `${path} is not a text file: it contains NUL bytes. Only text can be read.`,
      );
    }
    let start = 0;
    while (line < offset && start < chunk.length) {
      const end = chunk.indexOf(newline, start);
      isAtLineStart = end >= 0;
      start = isAtLineStart ? end + 1 : chunk.length;
      if (isAtLineStart) line += 1;
    }
    kept.push(Buffer.from(chunk.subarray(start)));
    keptBytes += chunk.length - start;
    if (keptBytes > maxBytes) return { bytes: Buffer.concat(kept), isWhole: false };
  }
  if (offset > 1 && keptBytes === 0) {
    const lineCount = isAtLineStart ? line - 1 : line;
    throw new FileError(
      "past_end",
      `There is no line ${offset} in ${path} (lines: ${lineCount}). Use a smaller offset.`,
    );
  }
  return { bytes: Buffer.concat(kept), isWhole: true };
}

/** The same buffer again and again: a chunk is valid until the next one. */
async function* chunksOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function endOfLine(bytes: Buffer, count: number): number {
  let end = 0;
  for (let line = 0; line < count && end < bytes.length; line += 1) {
    const next = bytes.indexOf(newline, end);
    if (next < 0) return bytes.length;
    end = next + 1;
  }
  return end;
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
}
