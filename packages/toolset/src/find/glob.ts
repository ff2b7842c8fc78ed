/** `glob`: finds files by a path pattern. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { FileError, onFile, toToolOutput } from "../files/file-error.ts";
import { boundedNumber, notesOn } from "../files/bounded-number.ts";
import { patternIn } from "./pattern-in-folder.ts";
import { folderPath } from "../files/path-input.ts";
import { walk } from "./walk.ts";
import { locate, openWorkspace, rootOf, toShownPath } from "../files/workspace.ts";
import type { WorkspaceOptions } from "../files/workspace.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Details of a `glob` result, for user interfaces. */
export interface GlobDetails {
  readonly pattern: string;
  readonly paths: readonly string[];
  /** Whether there are more than could be shown. */
  readonly hasMore: boolean;
}

const maxPaths = 1000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe("For example *.ts (in any folder), src/**/*.test.ts or {a,b}/*.md."),
  path: folderPath("Folder to search"),
  ignored: z.boolean().default(false).describe("Include files that .gitignore excludes."),
  limit: boundedNumber("limit", {
    min: 1,
    max: maxPaths,
    usual: maxPaths,
    description: "Maximum number of paths.",
  }),
});

/** Returns one path per line, in order of name. Leaves out .git and files that git ignores. Throws only on abort. */
export function globTool(options: WorkspaceOptions = {}): NamedTool<"glob"> {
  return defineTool({
    name: "glob",
    label: "Find files",
    description:
      "Finds files in a folder and its subfolders by a path pattern, relative to that folder or absolute. Files excluded by .gitignore are left out.",
    input,
    effect: "pure",
    execute: (wanted, context) => toToolOutput(() => glob(wanted, context, options)),
  });
}

async function glob(
  { pattern, path, ignored, limit }: z.output<typeof input>,
  { cwd, signal }: ToolContext,
  options: WorkspaceOptions,
): Promise<ToolOutput<GlobDetails>> {
  signal.throwIfAborted();
  const workspace = await openWorkspace(options, cwd);
  const real = await locate(workspace, path);
  if (!(await onFile(path, () => lstat(real))).isDirectory()) {
    throw new FileError("wrong_kind", `${path} is not a folder. Use read to read a file.`);
  }
  const { matches, mustHaveFound } = patternIn({ workspace, path, real }, pattern);
  const shown = toShownPath(workspace, real);
  const paths: string[] = [];
  const root = rootOf(workspace, real);
  for await (const file of walk(real, { root, ignored, signal, path })) {
    if (!matches(file.path) || options.isHidden?.(join(real, file.path)) === true) continue;
    paths.push(shown === "." ? file.path : `${shown}/${file.path}`);
    if (paths.length > limit.value) break;
  }
  if (paths.length === 0) mustHaveFound();
  const hasMore = paths.length > limit.value;
  const found = paths.slice(0, limit.value);
  const notes = [
    ...notesOn(limit),
    ...(hasMore ? [`There are more than ${limit.value}. Use a narrower pattern.`] : []),
  ];
  const note = notes.length > 0 ? [`(${notes.join(" ")})`] : [];
  return ok(found.length === 0 ? "(No files found.)" : [...found, ...note].join("\n"), {
    pattern,
    paths: found,
    hasMore,
  });
}
