/** `read`: a text file of the working folder, some lines at a time. */
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { ToolContract, ToolExecuteContext, ToolOutput } from "@capstan/kernel";
import { replaced, requireUnmoved, resolveContained } from "./contained-path.ts";
import { FileError, onFile, toToolOutput } from "./file-error.ts";
import { readLineWindow } from "./file-lines.ts";
import type { LineWindow } from "./file-lines.ts";
import { parseInput } from "./input-schema.ts";
import type { InputSchema } from "./input-schema.ts";

export interface ReadDetails {
  readonly path: string;
  /** Of the lines shown. Both absent for an empty file. */
  readonly firstLine?: number;
  readonly lastLine?: number;
  /** Where to go on. Absent when the end of the file was reached. */
  readonly nextOffset?: number;
}

interface ReadInput {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

const maxLines = 2000;
const maxBytes = 64 * 1024;

const inputSchema: InputSchema = {
  type: "object",
  properties: {
    path: {
      type: "string",
      description: "The file, relative to the working folder.",
      minLength: 1,
      maxLength: 4096,
    },
    offset: {
      type: "integer",
      description: "The first line to read, counted from 1.",
      minimum: 1,
      default: 1,
    },
    limit: {
      type: "integer",
      description: "How many lines to read at most.",
      minimum: 1,
      maximum: maxLines,
      default: maxLines,
    },
  },
  required: ["path"],
  additionalProperties: false,
};

/**
 * Gives the lines as they are, at most 64 KB of them; a closing note in parentheses says how to go on. What cannot be
 * read (missing, outside the working folder, a folder, binary) is a failed output. Throws only on abort.
 */
export function readTool(): ToolContract {
  return {
    name: "read",
    label: "Read a file",
    description:
      "Reads a text file of the working folder. Long files come in parts: a note at the end gives the next offset.",
    inputSchema,
    effect: "pure",
    execution: "parallel",
    parseInput: (input) => parseInput(inputSchema, input),
    execute: (input: ReadInput, context: ToolExecuteContext) =>
      toToolOutput(() => read(input, context)),
  };
}

async function read(
  { path, offset, limit }: ReadInput,
  { cwd, signal }: ToolExecuteContext,
): Promise<ToolOutput<ReadDetails>> {
  signal.throwIfAborted();
  const real = await resolveContained(path, cwd);
  const handle = await openFile(real, path);
  try {
    const window = await onFile(path, () =>
      readLineWindow(handle, { offset, maxLines: limit, maxBytes, signal, path }),
    );
    return toOutput(path, offset, window);
  } finally {
    await handle.close();
  }
}

async function openFile(real: string, path: string): Promise<FileHandle> {
  // A pipe without a writer would block the thread for ever, a device might act on being opened: look first.
  requireFile(await onFile(path, () => stat(real)), path);
  const handle = await onFile(path, () => open(real, readFlags));
  try {
    const opened = await handle.stat({ bigint: true });
    requireFile(opened, path);
    // A folder on the way may have become a link to elsewhere since the path was resolved.
    const current = await onFile(path, () => stat(real, { bigint: true }));
    if (current.ino !== opened.ino || current.dev !== opened.dev) throw replaced(path);
    await requireUnmoved(real, path);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

// Windows has neither of the two last flags.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function requireFile(stats: { isFile(): boolean; isDirectory(): boolean }, path: string): void {
  if (stats.isFile()) return;
  throw new FileError(
    "wrong_kind",
    stats.isDirectory()
      ? `${path} is a folder. Use ls to list it.`
      : `${path} is not a regular file, so it cannot be read. Use another path.`,
  );
}

function toOutput(path: string, offset: number, window: LineWindow): ToolOutput<ReadDetails> {
  if (window.lineCount === 0) {
    return { ok: true, outputMessage: "(The file is empty.)", details: { path } };
  }
  const lastLine = offset + window.lineCount - 1;
  const notes = [
    window.isCut && `Line ${offset} is longer than ${maxBytes / 1024} KB; its rest is not shown.`,
    window.hasMore && `Lines ${offset} to ${lastLine}; go on with offset ${lastLine + 1}.`,
  ].filter((note) => note !== false);
  const gap = window.text.endsWith("\n") ? "" : "\n";
  return {
    ok: true,
    outputMessage: notes.length > 0 ? `${window.text}${gap}(${notes.join(" ")})` : window.text,
    details: {
      path,
      firstLine: offset,
      lastLine,
      ...(window.hasMore && { nextOffset: lastLine + 1 }),
    },
  };
}
