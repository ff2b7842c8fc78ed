/** `read`: a text file some lines at a time, or an image. */
import type { FileHandle } from "node:fs/promises";
import type { AnyTool, ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolContentPart, ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { FileError, onFile, toToolOutput } from "./file-error.ts";
import { readLineWindow } from "./file-lines.ts";
import type { LineWindow } from "./file-lines.ts";
import { openFile } from "./folder.ts";
import { imageTypeOf } from "./image-type.ts";
import { filePath } from "./path-input.ts";
import { locate, openWorkspace } from "./workspace.ts";
import type { WorkspaceOptions } from "./workspace.ts";

export interface ReadDetails {
  readonly path: string;
  /** Of the lines shown. Both absent for an empty file. */
  readonly firstLine?: number;
  readonly lastLine?: number;
  /** Absent for a file that is too long to count. */
  readonly totalLines?: number;
  /** Where to go on. Absent when the end of the file was reached. */
  readonly nextOffset?: number;
}

const maxLines = 2000;
const maxBytes = 64 * 1024;
const maxLineBytes = 2000;
/** Some 50 ms of reading. */
const maxCountedBytes = 64 * 1024 * 1024;
/** The largest image that any model takes. What this one takes is checked by the session. */
const maxImageBytes = 20_000_000;

const input = z.strictObject({
  path: filePath("The file"),
  offset: z.int().min(1).default(1).describe("The first line to read, counted from 1."),
  limit: z.int().min(1).max(maxLines).default(maxLines).describe("How many lines to read at most."),
});

/**
 * Gives the lines as they are, about 64 KB of them at most and 2,000 bytes of each; a closing note in parentheses says
 * how to go on. An image is given as one. What cannot be read (missing, outside, a folder, binary) is a failed output.
 * Throws only on abort.
 */
export function readTool(options: WorkspaceOptions = {}): AnyTool {
  return defineTool({
    name: "read",
    label: "Read a file",
    description:
      "Reads a text file, or shows an image (PNG, JPEG, GIF, WebP). Long files come in parts: a note at the end gives the next offset.",
    input,
    effect: "pure",
    execute: (wanted, context) => toToolOutput(() => read(wanted, context, options)),
  });
}

async function read(
  { path, offset, limit }: z.output<typeof input>,
  { cwd, signal }: ToolContext,
  options: WorkspaceOptions,
): Promise<ToolOutput<ReadDetails> | readonly ToolContentPart[]> {
  signal.throwIfAborted();
  const real = await locate(await openWorkspace(options, cwd), path);
  const handle = await openFile(real, path);
  try {
    const mediaType = await imageTypeOf(handle);
    if (mediaType !== undefined) return await readImage(handle, mediaType, path);
    const limits = { maxLines: limit, maxBytes, maxLineBytes, maxCountedBytes };
    const window = await onFile(path, () =>
      readLineWindow(handle, { offset, ...limits, signal, path }),
    );
    return toOutput(path, offset, window);
  } finally {
    await handle.close();
  }
}

async function readImage(
  handle: FileHandle,
  mediaType: string,
  path: string,
): Promise<readonly ToolContentPart[]> {
  const { size } = await handle.stat();
  if (size > maxImageBytes) {
    const problem = `${path} is an image of ${size.toLocaleString("en-US")} bytes, and at most ${maxImageBytes.toLocaleString("en-US")} can be shown. Make it smaller.`;
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

function toOutput(path: string, offset: number, window: LineWindow): ToolOutput<ReadDetails> {
  const { text, lineCount, totalLines, hasMore, cutLines } = window;
  if (lineCount === 0) return ok("(The file is empty.)", { path });
  const lastLine = offset + lineCount - 1;
  const total = totalLines === undefined ? "" : ` of ${totalLines}`;
  const notes = [
    cutLines.length > 0 && `${toLines(cutLines)} cut after ${maxLineBytes} bytes.`,
    hasMore && `Lines ${offset} to ${lastLine}${total}; go on with offset ${lastLine + 1}.`,
  ].filter((note) => note !== false);
  const gap = text.endsWith("\n") ? "" : "\n";
  return ok(notes.length > 0 ? `${text}${gap}(${notes.join(" ")})` : text, {
    path,
    firstLine: offset,
    lastLine,
    ...(totalLines !== undefined && { totalLines }),
    ...(hasMore && { nextOffset: lastLine + 1 }),
  });
}

function toLines(lines: readonly number[]): string {
  const named = lines.slice(0, 5).join(", ");
  if (lines.length === 1) return `Line ${named} is`;
  return lines.length > 5 ? `${lines.length} lines (${named}, …) are` : `Lines ${named} are`;
}
