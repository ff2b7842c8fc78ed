/** `grep`: finds lines that match a pattern. */
import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { onFile, toToolOutput } from "../files/file-error.ts";
import { requireFile } from "../files/folder.ts";
import { boundedNumber, notesOn } from "../files/bounded-number.ts";
import { patternIn } from "../find/pattern-in-folder.ts";
import { folderPath } from "../files/path-input.ts";
import { locate, openWorkspace, rootOf, toShownPath } from "../files/workspace.ts";
import type { WorkspaceOptions } from "../files/workspace.ts";
import { searchInNode } from "./node-engine.ts";
import { findRipgrep, ripgrepEngine } from "./ripgrep.ts";
import type { FoundLine, SearchEngine } from "./search.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Options of `grepTool`. */
export interface GrepOptions extends WorkspaceOptions {
  /** Path of ripgrep, or false to search in Node. Default: the binary of `@vscode/ripgrep`, if it has one for this machine. */
  readonly ripgrep?: string | false;
}

/** Details of a `grep` result, for user interfaces. */
export interface GrepDetails {
  readonly pattern: string;
  readonly matchCount: number;
  readonly fileCount: number;
  /** Whether there are more than could be shown. */
  readonly hasMore: boolean;
}

const maxMatches = 2000;
const defaultMatches = 200;
const maxLineChars = 500;
const maxChars = 60_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(2000)
    .describe("A regular expression, or plain text if literal is set."),
  path: folderPath("Folder or file to search"),
  include: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Search only files whose path matches, for example *.ts or src/**/*.md."),
  literal: z.boolean().default(false).describe("Treat the pattern as plain text."),
  ignoreCase: z.boolean().default(false),
  context: boundedNumber("context", {
    min: 0,
    max: 20,
    usual: 0,
    description: "Lines to show before and after each match.",
  }),
  show: z
    .enum(["lines", "files", "count"])
    .default("lines")
    .describe(
      "Matching lines, only the paths of files with matches, or the number of matches in each file.",
    ),
  ignored: z.boolean().default(false).describe("Include files that .gitignore excludes."),
  limit: boundedNumber("limit", {
    min: 1,
    max: maxMatches,
    usual: defaultMatches,
    description: "Maximum number of matching lines.",
  }),
});

type GrepInput = z.output<typeof input>;

/** Returns `path:line: text` for each match, `path-line- text` for lines around it. Throws only on abort. */
export function grepTool(options: GrepOptions = {}): NamedTool<"grep"> {
  let engine: Promise<SearchEngine> | undefined;
  return defineTool({
    name: "grep",
    label: "Search files",
    description:
      "Searches the files in a folder and its subfolders line by line for a regular expression or plain text. Skips binary files, files above 10 MB and files excluded by .gitignore.",
    input,
    effect: "pure",
    execute: (wanted, context) =>
      toToolOutput(async () => {
        engine ??= chooseEngine(options.ripgrep);
        return grep(wanted, context, options, await engine);
      }),
  });
}

async function chooseEngine(ripgrep: string | false | undefined): Promise<SearchEngine> {
  const binary = ripgrep ?? (await findRipgrep()) ?? false;
  return binary === false ? searchInNode : ripgrepEngine(binary);
}

async function grep(
  wanted: GrepInput,
  { cwd, signal }: ToolContext,
  options: GrepOptions,
  engine: SearchEngine,
): Promise<ToolOutput<GrepDetails>> {
  signal.throwIfAborted();
  const { path, include } = wanted;
  const workspace = await openWorkspace(options, cwd);
  const real = await locate(workspace, path);
  const stats = await onFile(path, () => lstat(real));
  if (!stats.isDirectory()) requireFile(stats, path);
  const root = rootOf(workspace, real);
  const isFile = stats.isFile();
  const included =
    include === undefined ? undefined : patternIn({ workspace, path, real }, include);
  const includes = (found: string): boolean =>
    included?.matches(found) !== false &&
    (isFile || options.isHidden?.(join(real, found)) !== true);
  const shown = toShownPath(workspace, isFile ? real.slice(0, -basename(real).length - 1) : real);
  const found = new Found(wanted, shown === "." ? "" : `${shown}/`);
  const context = wanted.context.value;
  for await (const line of engine({ ...wanted, context, real, root, isFile, includes, signal })) {
    if (!found.take(line)) break;
  }
  if (found.isEmpty) included?.mustHaveFound();
  return found.toOutput();
}

/** Collects matches and formats those to show. */
class Found {
  readonly #input: GrepInput;
  readonly #base: string;
  readonly #lines: string[] = [];
  readonly #counts = new Map<string, number>();
  #chars = 0;
  #matchCount = 0;
  #hasMore = false;
  #last: FoundLine | undefined;

  constructor(wanted: GrepInput, base: string) {
    this.#input = wanted;
    this.#base = base;
  }

  get isEmpty(): boolean {
    return this.#matchCount === 0;
  }

  /** Returns false if no more matches are needed. */
  take(found: FoundLine): boolean {
    const path = this.#base + found.path;
    if (found.isMatch) {
      if (this.#matchCount === this.#input.limit.value || this.#chars > maxChars) {
        this.#hasMore = true;
        return false;
      }
      this.#matchCount += 1;
      this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
    }
    if (this.#input.show === "lines") this.#show(found, path);
    return true;
  }

  #show(found: FoundLine, path: string): void {
    const last = this.#last;
    const isApart = last?.path !== found.path || found.line !== last.line + 1;
    if (this.#input.context.value > 0 && last !== undefined && isApart) this.#lines.push("--");
    this.#last = found;
    const text =
      found.text.length > maxLineChars ? `${found.text.slice(0, maxLineChars)} …` : found.text;
    const line = found.isMatch
      ? `${path}:${found.line}: ${text}`
      : `${path}-${found.line}- ${text}`;
    this.#lines.push(line);
    this.#chars += line.length + 1;
  }

  toOutput(): ToolOutput<GrepDetails> {
    const { pattern, show, limit, context } = this.#input;
    const lines = {
      lines: () => this.#lines,
      files: () => [...this.#counts.keys()],
      count: () => [...this.#counts].map(([path, count]) => `${path}: ${count}`),
    }[show]();
    const notes = [
      ...notesOn(limit, context),
      ...(this.#hasMore
        ? [`There are more than ${this.#matchCount} matches. Narrow the search, or raise limit.`]
        : []),
    ];
    return ok(
      this.isEmpty
        ? "(Nothing found.)"
        : [...lines, ...(notes.length > 0 ? [`(${notes.join(" ")})`] : [])].join("\n"),
      {
        pattern,
        matchCount: this.#matchCount,
        fileCount: this.#counts.size,
        hasMore: this.#hasMore,
      },
    );
  }
}
