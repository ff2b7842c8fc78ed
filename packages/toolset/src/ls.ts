/** `ls`: what is in a folder of the working folder, in order of name. */
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { ToolContract, ToolExecuteContext, ToolOutput } from "@capstan/kernel";
import { requireUnmoved, resolveContained } from "./contained-path.ts";
import { FileError, onFile, toToolOutput } from "./file-error.ts";
import { parseInput } from "./input-schema.ts";
import type { InputSchema } from "./input-schema.ts";

export interface LsEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** Of a file. */
  readonly sizeBytes?: number;
  /** Of a link, as it is written in it. */
  readonly target?: string;
}

export interface LsDetails {
  readonly path: string;
  readonly entries: readonly LsEntry[];
  /** How many the folder has in all. */
  readonly entryCount: number;
  /** Where to go on. Absent when the last entry was shown. */
  readonly nextOffset?: number;
}

interface LsInput {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

const maxEntries = 1000;
const maxBytes = 64 * 1024;

const inputSchema: InputSchema = {
  type: "object",
  properties: {
    path: {
      type: "string",
      description: "The folder, relative to the working folder.",
      minLength: 1,
      maxLength: 4096,
      default: ".",
    },
    offset: {
      type: "integer",
      description: "The first entry to list, counted from 1.",
      minimum: 1,
      default: 1,
    },
    limit: {
      type: "integer",
      description: "How many entries to list at most.",
      minimum: 1,
      maximum: maxEntries,
      default: maxEntries,
    },
  },
  required: [],
  additionalProperties: false,
};

/**
 * Gives one line per entry, in code unit order: `src/`, `README.md  1.2 KB`, `current -> releases/2`. Names that would
 * not be clear on such a line are quoted as JSON. A closing note in parentheses says how to go on. What cannot be
 * listed (missing, outside the working folder, a file) is a failed output. Throws only on abort.
 */
export function lsTool(): ToolContract {
  return {
    name: "ls",
    label: "List a folder",
    description:
      "Lists a folder of the working folder: folders end in /, files have their size, symbolic links show their target. " +
      "Long lists come in parts: a note at the end gives the next offset.",
    inputSchema,
    effect: "pure",
    execution: "parallel",
    parseInput: (input) => parseInput(inputSchema, input),
    execute: (input: LsInput, context: ToolExecuteContext) =>
      toToolOutput(() => ls(input, context)),
  };
}

async function ls(
  { path, offset, limit }: LsInput,
  { cwd, signal }: ToolExecuteContext,
): Promise<ToolOutput<LsDetails>> {
  signal.throwIfAborted();
  const folder = await resolveContained(path, cwd);
  const names = await namesIn(folder, path);
  const start = offset - 1;
  if (start > 0 && start >= names.length) {
    throw new FileError(
      "past_end",
      `There is no entry ${offset} in ${path} (entries: ${names.length}). Use a smaller offset.`,
    );
  }
  const entries = await Promise.all(
    names.slice(start, start + limit).map((name) => inspect(folder, name, signal)),
  );
  const lines = fittingLines(entries.map(toLine));
  const next = start + lines.length;
  const note =
    next < names.length
      ? [`(Entries ${offset} to ${next} of ${names.length}; go on with offset ${next + 1}.)`]
      : [];
  return {
    ok: true,
    outputMessage: names.length === 0 ? "(The folder is empty.)" : [...lines, ...note].join("\n"),
    details: {
      path,
      entries: entries.slice(0, lines.length),
      entryCount: names.length,
      ...(next < names.length && { nextOffset: next + 1 }),
    },
  };
}

async function namesIn(folder: string, path: string): Promise<string[]> {
  const stats = await onFile(path, () => lstat(folder));
  if (!stats.isDirectory()) {
    throw new FileError("wrong_kind", `${path} is not a folder. Use read to see a file.`);
  }
  const names = await onFile(path, () => readdir(folder));
  await requireUnmoved(folder, path);
  return names.toSorted();
}

async function inspect(folder: string, name: string, signal: AbortSignal): Promise<LsEntry> {
  signal.throwIfAborted();
  const place = join(folder, name);
  try {
    const stats = await lstat(place);
    if (stats.isDirectory()) return { name, kind: "folder" };
    if (stats.isSymbolicLink()) return { name, kind: "link", target: await readlink(place) };
    return stats.isFile() ? { name, kind: "file", sizeBytes: stats.size } : { name, kind: "other" };
  } catch {
    // Gone since the folder was listed, or not to be looked at: the name is all there is to say.
    return { name, kind: "other" };
  }
}

function toLine({ name, kind, sizeBytes = 0, target = "" }: LsEntry): string {
  switch (kind) {
    case "folder":
      return `${toWord(name)}/`;
    case "link":
      return `${toWord(name)} -> ${toWord(target)}`;
    case "file":
      return `${toWord(name)}  ${toSize(sizeBytes)}`;
    case "other":
      return toWord(name);
    default:
      return kind satisfies never;
  }
}

/** Quoted if it could be taken for something else: control characters, outer or double spaces, an arrow, a note. */
function toWord(name: string): string {
  const isUnclear = /[\p{Cc}\p{Zl}\p{Zp}"]|^[\s(]|\s$|\s\s| -> /u.test(name);
  return isUnclear ? JSON.stringify(name).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, toEscape) : name;
}

/** For the line breaks and control characters that JSON leaves as they are. */
function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function toSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}

function fittingLines(lines: readonly string[]): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > maxBytes);
  return end < 0 ? lines : lines.slice(0, Math.max(end, 1));
}
