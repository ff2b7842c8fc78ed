/** `read`: reads a text file in parts, with line numbers; the text of a PDF or a notebook; an image. */
import type { FileHandle } from "node:fs/promises";
import type { ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolContentPart, ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import type { BoundedNumber } from "./bounded-number.ts";
import { boundedNumber, notesOn } from "./bounded-number.ts";
import { FileError, onFile, toToolOutput } from "./file-error.ts";
import { decodeText } from "./encoding.ts";
import { chunksOf, readLineWindow } from "./file-lines.ts";
import { versionOf } from "./file-version.ts";
import type { SeenFile } from "./seen-files.ts";
import { rememberText, seenAs } from "./seen-files.ts";
import { maxTextBytes } from "./text-file.ts";
import type { LineWindow } from "./file-lines.ts";
import { openFile } from "./folder.ts";
import { imageTypeOf, readImage } from "./image.ts";
import { textOfNotebook } from "./notebook.ts";
import { filePath } from "./path-input.ts";
import { maxPdfBytes, pagesOfPdf, textOfPages } from "./pdf-text.ts";
import { locate, openWorkspace } from "./workspace.ts";
import type { WorkspaceOptions } from "./workspace.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Details of a `read` result, for user interfaces. */
export interface ReadDetails {
  readonly path: string;
  /** Absent for a file that cannot be edited: it is too large, or a PDF. */
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

const input = z.strictObject({
  path: filePath("File to read"),
  offset: boundedNumber("offset", {
    min: 1,
    usual: 1,
    description: "First line to read, counted from 1.",
  }),
  limit: boundedNumber("limit", {
    min: 1,
    max: maxLines,
    usual: maxLines,
    description: "Maximum number of lines.",
  }),
});

/**
 * Returns each line as its number, a tab and the line, at most about 64 KB in total and 2,000 bytes each; a closing note in
 * parentheses states how to continue. An image is returned as an image. If the file cannot be read (missing, outside, a folder,
 * binary), the output is a failure. Throws only on abort.
 */
export function readTool(options: WorkspaceOptions = {}): NamedTool<"read"> {
  return defineTool({
    name: "read",
    label: "Read a file",
    description:
      "Reads a text file, the text of a PDF, the cells of a Jupyter notebook, or shows an image (PNG, JPEG, GIF, WebP). " +
      "Each line begins with its number and a tab, which are not part of the file: leave them out when you pass text to edit. " +
      "Long files are split: a note at the end gives the next offset.",
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
    const start = await startOf(handle);
    const mediaType = imageTypeOf(start);
    if (mediaType !== undefined) return await readImage(handle, mediaType, path);
    const content = start.startsWith("%PDF-")
      ? await contentOfPdf(handle, path, signal)
      : await contentOf(handle, path, signal);
    const limits = { maxLines: limit.value, maxBytes, maxLineBytes, maxCountedBytes };
    const window = await onFile(path, () =>
      readLineWindow(content.chunks, { offset: offset.value, ...limits, path }),
    );
    const seen = content.version === undefined ? undefined : seenAs(real, content.version);
    return toOutput({ path, seen, window, offset, limit, note: content.note });
  } finally {
    await handle.close();
  }
}

async function startOf(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
  return buffer.subarray(0, bytesRead).toString("latin1");
}

interface FileContent {
  /** In UTF-8, without a byte order mark that is not UTF-8's. */
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>;
  readonly version?: string;
  readonly note?: string;
}

const notebookNote =
  "The cells of a notebook. The file is JSON: to change it, see the JSON with bash or grep first.";

/** A file that can be edited is read as a whole: its version is that of the whole file. */
async function contentOf(
  handle: FileHandle,
  path: string,
  signal: AbortSignal,
): Promise<FileContent> {
  const { size } = await handle.stat();
  if (size > maxTextBytes) return { chunks: chunksOf(handle, signal) };
  const content = await bytesOf(handle, size, path);
  const version = versionOf(content);
  const decoded = decodeText(content);
  if (decoded === undefined) return { chunks: [content] };
  rememberText(version, decoded.text);
  const cells = path.endsWith(".ipynb") ? textOfNotebook(decoded.text) : undefined;
  if (cells !== undefined) return { chunks: [Buffer.from(cells)], version, note: notebookNote };
  const isUtf8 = decoded.encoding === "utf-8";
  const chunks = [isUtf8 ? content : Buffer.from(decoded.text.replace(/^\ufeff/, ""))];
  return { chunks: size === 0 ? [] : chunks, version };
}

async function contentOfPdf(
  handle: FileHandle,
  path: string,
  signal: AbortSignal,
): Promise<FileContent> {
  const { size } = await handle.stat();
  if (size > maxPdfBytes) {
    const problem = `${path} is a PDF of ${size.toLocaleString("en-US")} bytes, but the limit is ${maxPdfBytes.toLocaleString("en-US")}. Split it with bash.`;
    throw new FileError("too_large", problem);
  }
  const bytes = new Uint8Array(await bytesOf(handle, size, path));
  const pages = await pagesOfPdf(bytes, path, signal);
  const text = textOfPages(pages);
  if (text !== undefined) return { chunks: [Buffer.from(text)] };
  const count = pages.length === 1 ? "1 page" : `${pages.length} pages`;
  const note = `${path} has ${count} without text, such as scanned ones. Only the text of a PDF can be read: convert the pages to images with bash to see them.`;
  return { chunks: [], note };
}

async function bytesOf(handle: FileHandle, size: number, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await onFile(path, () => handle.read(bytes, 0, size, 0));
  return bytes.subarray(0, bytesRead);
}

interface Shown {
  readonly path: string;
  readonly seen: SeenFile | undefined;
  readonly window: LineWindow;
  readonly offset: BoundedNumber;
  readonly limit: BoundedNumber;
  readonly note: string | undefined;
}

function toOutput({ path, seen, window, offset, limit, note }: Shown): ToolOutput<ReadDetails> {
  const { text, lineCount, totalLines, hasMore, cutLines } = window;
  const file = { path, ...(seen && { seen }) };
  if (lineCount === 0) return ok(`(${note ?? "The file is empty."})`, file);
  const firstLine = offset.value;
  const lastLine = firstLine + lineCount - 1;
  const total = totalLines === undefined ? "" : ` of ${totalLines}`;
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...notesOn(offset, limit),
    cutLines.length > 0 && `${toLines(cutLines)} truncated after ${maxLineBytes} bytes.`,
    hasMore && `Lines ${firstLine} to ${lastLine}${total}; continue with offset ${lastLine + 1}.`,
  ].filter((one) => one !== false);
  const gap = text.endsWith("\n") ? "" : "\n";
  const shown = withNumbers(text, firstLine);
  return ok(notes.length > 0 ? `${shown}${gap}(${notes.join(" ")})` : shown, {
    ...file,
    firstLine,
    lastLine,
    ...(totalLines !== undefined && { totalLines }),
    ...(hasMore && { nextOffset: lastLine + 1 }),
  });
}

function withNumbers(text: string, first: number): string {
  const isWhole = text.endsWith("\n");
  const lines = (isWhole ? text.slice(0, -1) : text).split("\n");
  const numbered = lines.map((line, index) => `${first + index}\t${line}`).join("\n");
  return isWhole ? `${numbered}\n` : numbered;
}

function toLines(lines: readonly number[]): string {
  const named = lines.slice(0, 5).join(", ");
  if (lines.length === 1) return `Line ${named} is`;
  return lines.length > 5 ? `${lines.length} lines (${named}, …) are` : `Lines ${named} are`;
}
