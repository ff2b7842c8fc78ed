/** `ls`: lists a folder in order of name. */
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { boundedNumber, notesOn } from "../files/bounded-number.ts";
import { FileError, onFile, toToolOutput } from "../files/file-error.ts";
import { Folder, inFolder } from "../files/folder.ts";
import { folderPath } from "../files/path-input.ts";
import { locate, openWorkspace } from "../files/workspace.ts";
import type { WorkspaceOptions } from "../files/workspace.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Entry of a folder. */
export interface LsEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** For files only. */
  readonly sizeBytes?: number;
  /** For links only, as stored in the link. */
  readonly target?: string;
}

/** Details of an `ls` result, for user interfaces. */
export interface LsDetails {
  readonly path: string;
  readonly entries: readonly LsEntry[];
  /** Total number of entries in the folder. */
  readonly entryCount: number;
  /** Offset to continue at. Absent if the last entry was shown. */
  readonly nextOffset?: number;
}

const maxEntries = 1000;
const maxBytes = 64 * 1024;

const input = z.strictObject({
  path: folderPath("Folder to list"),
  offset: boundedNumber("offset", {
    min: 1,
    usual: 1,
    description: "First entry to list, counted from 1.",
  }),
  limit: boundedNumber("limit", {
    min: 1,
    max: maxEntries,
    usual: maxEntries,
    description: "Maximum number of entries.",
  }),
});

/**
 * Returns one line per entry, in code unit order: `src/`, `README.md  1.2 KB`, `current -> releases/2`. Names that would
 * be ambiguous on such a line are quoted as JSON. A closing note in parentheses states how to continue. If the folder cannot
 * be listed (missing, outside, a file), the output is a failure. Throws only on abort.
 */
export function lsTool(options: WorkspaceOptions = {}): NamedTool<"ls"> {
  return defineTool({
    name: "ls",
    label: "List a folder",
    description:
      "Lists a folder: folders end in /, files have their size, symbolic links show their target. " +
      "Long lists are split: a note at the end gives the next offset.",
    input,
    effect: "pure",
    execute: (wanted, context) => toToolOutput(() => ls(wanted, context, options)),
  });
}

async function ls(
  { path, offset, limit }: z.output<typeof input>,
  { cwd, signal }: ToolContext,
  options: WorkspaceOptions,
): Promise<ToolOutput<LsDetails>> {
  signal.throwIfAborted();
  const real = await locate(await openWorkspace(options, cwd), path);
  if (!(await onFile(path, () => lstat(real))).isDirectory()) {
    throw new FileError("wrong_kind", `${path} is not a folder. Use read to read a file.`);
  }
  const start = offset.value - 1;
  const { entries, entryCount } = await inFolder(Folder.open(real, path), async (folder) => {
    const names = (await onFile(path, () => readdir(folder.here)))
      .filter((name) => options.isHidden?.(join(real, name)) !== true)
      .toSorted();
    const shown = names.slice(start, start + limit.value);
    const inspected = await Promise.all(shown.map((name) => inspect(folder, name, signal)));
    await folder.confirm(path);
    return { entries: inspected, entryCount: names.length };
  });
  if (start > 0 && start >= entryCount) {
    throw new FileError(
      "past_end",
      `${path} has no entry ${offset.value} (entries: ${entryCount}). Use a smaller offset.`,
    );
  }
  const lines = fittingLines(entries.map(toLine));
  const next = start + lines.length;
  const hasMore = next < entryCount;
  const more = `Entries ${offset.value} to ${next} of ${entryCount}; continue with offset ${next + 1}.`;
  const notes = [...notesOn(offset, limit), ...(hasMore ? [more] : [])];
  return ok(
    entryCount === 0
      ? "(The folder is empty.)"
      : [...lines, ...(notes.length > 0 ? [`(${notes.join(" ")})`] : [])].join("\n"),
    {
      path,
      entries: entries.slice(0, lines.length),
      entryCount,
      ...(hasMore && { nextOffset: next + 1 }),
    },
  );
}

async function inspect(folder: Folder, name: string, signal: AbortSignal): Promise<LsEntry> {
  signal.throwIfAborted();
  const entryPath = folder.at(name);
  try {
    const stats = await lstat(entryPath);
    if (stats.isDirectory()) return { name, kind: "folder" };
    if (stats.isSymbolicLink()) return { name, kind: "link", target: await readlink(entryPath) };
    return stats.isFile() ? { name, kind: "file", sizeBytes: stats.size } : { name, kind: "other" };
  } catch {
    // Gone since the folder was listed, or not accessible: only the name is known.
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

/** Quotes a name that could be misread: control characters, outer or double spaces, an arrow, a note. */
function toWord(name: string): string {
  const isUnclear = /[\p{Cc}\p{Zl}\p{Zp}"]|^[\s(]|\s$|\s\s| -> /u.test(name);
  return isUnclear ? JSON.stringify(name).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, toEscape) : name;
}

/** Escapes line breaks and control characters that JSON does not escape. */
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
