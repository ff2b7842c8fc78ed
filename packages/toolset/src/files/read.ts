/** `read`: reads a text file in parts, or an image. */
import type { FileHandle } from "node:fs/promises";
import type { ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolContentPart, ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { FileError, onFile, toToolOutput } from "./file-error.ts";
import { decodeText } from "./encoding.ts";
import { chunksOf, readLineWindow } from "./file-lines.ts";
import { versionOf } from "./file-version.ts";
import type { SeenFile } from "./seen-files.ts";
import { rememberText, seenAs } from "./seen-files.ts";
import { maxTextBytes } from "./text-file.ts";
import type { LineWindow } from "./file-lines.ts";
import { openFile } from "./folder.ts";
import { filePath } from "./path-input.ts";
import { locate, openWorkspace } from "./workspace.ts";
import type { WorkspaceOptions } from "./workspace.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

export interface ReadDetails {
  readonly path: string;
  /** Absent for a file that is too large to be edited. */
  readonly seen?: SeenFile;
  /** First and last line shown. Both absent for an empty file. */
  readonly firstLine?: number;
  readonly lastLine?: number;
  /** Absent if the file is too long to count. */
  readonly totalLines?: number;
  /** Offset to continue at. Absent if the end of the file was reached. */
  readonly nextOffset?: number;
}

const maxLines = 2000;
const maxBytes = 64 * 1024;
const maxLineBytes = 2000;
/** About 50 ms of reading. */
const maxCountedBytes = 64 * 1024 * 1024;
/** The largest image that any model accepts. The session checks the limit of the current model. */
const maxImageBytes = 20_000_000;

const input = z.strictObject({
  path: filePath("File to read"),
  offset: z.int().min(1).default(1).describe("First line to read, counted from 1."),
  limit: z.int().min(1).max(maxLines).default(maxLines).describe("Maximum number of lines."),
});

/**
 * Returns the lines unchanged, at most about 64 KB in total and 2,000 bytes each; a closing note in parentheses states
 * how to continue. An image is returned as an image. If the file cannot be read (missing, outside, a folder, binary), the
 * output is a failure. Throws only on abort.
 */
export function readTool(options: WorkspaceOptions = {}): NamedTool<"read"> {
  return defineTool({
    name: "read",
    label: "Read a file",
    description:
      "Reads a text file, or shows an image (PNG, JPEG, GIF, WebP). Long files are split: a note at the end gives the next offset.",
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
    const options = { offset, maxLines: limit, maxBytes, maxLineBytes, maxCountedBytes, path };
    const { chunks, version } = await contentOf(handle, path, signal);
    const window = await onFile(path, () => readLineWindow(chunks, options));
    return toOutput(
      path,
      offset,
      window,
      version === undefined ? undefined : seenAs(real, version),
    );
  } finally {
    await handle.close();
  }
}

interface FileContent {
  /** In UTF-8, without a byte order mark that is not UTF-8's. */
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>;
  readonly version?: string;
}

/** A file that can be edited is read as a whole: its version is that of the whole file. */
async function contentOf(
  handle: FileHandle,
  path: string,
  signal: AbortSignal,
): Promise<FileContent> {
  const { size } = await handle.stat();
  if (size > maxTextBytes) return { chunks: chunksOf(handle, signal) };
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await onFile(path, () => handle.read(bytes, 0, size, 0));
  const content = bytes.subarray(0, bytesRead);
  const version = versionOf(content);
  const decoded = decodeText(content);
  if (decoded === undefined) return { chunks: [content] };
  rememberText(version, decoded.text);
  const isUtf8 = decoded.encoding === "utf-8";
  const chunks = [isUtf8 ? content : Buffer.from(decoded.text.replace(/^\ufeff/, ""))];
  return { chunks: size === 0 ? [] : chunks, version };
}

async function readImage(
  handle: FileHandle,
  mediaType: string,
  path: string,
): Promise<readonly ToolContentPart[]> {
  const { size } = await handle.stat();
  if (size > maxImageBytes) {
    const problem = `${path} is an image of ${size.toLocaleString("en-US")} bytes, but the limit is ${maxImageBytes.toLocaleString("en-US")}. Make it smaller.`;
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

function toOutput(
  path: string,
  offset: number,
  window: LineWindow,
  seen: SeenFile | undefined,
): ToolOutput<ReadDetails> {
  const { text, lineCount, totalLines, hasMore, cutLines } = window;
  const file = { path, ...(seen && { seen }) };
  if (lineCount === 0) return ok("(The file is empty.)", file);
  const lastLine = offset + lineCount - 1;
  const total = totalLines === undefined ? "" : ` of ${totalLines}`;
  const notes = [
    cutLines.length > 0 && `${toLines(cutLines)} truncated after ${maxLineBytes} bytes.`,
    hasMore && `Lines ${offset} to ${lastLine}${total}; continue with offset ${lastLine + 1}.`,
  ].filter((note) => note !== false);
  const gap = text.endsWith("\n") ? "" : "\n";
  return ok(notes.length > 0 ? `${text}${gap}(${notes.join(" ")})` : text, {
    ...file,
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

/** Detects the image types that models accept, by the first bytes of a file. */
async function imageTypeOf(handle: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
  const start = buffer.subarray(0, bytesRead).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return /^RIFF....WEBP/s.test(start) ? "image/webp" : undefined;
}
