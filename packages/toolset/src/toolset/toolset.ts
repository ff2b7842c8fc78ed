/** Creates all tools for one folder, or a selection of them. */
import { background } from "@capstan/kernel";
import { bashTool } from "../bash/bash.ts";
import type { BashOptions } from "../bash/bash.ts";
import { bashKillTool, bashOutputTool } from "../bash/job-tools.ts";
import { editTool } from "../edit/edit.ts";
import { fetchTool } from "../fetch/fetch.ts";
import type { FetchOptions } from "../fetch/fetch.ts";
import { globTool } from "../find/glob.ts";
import { grepTool } from "../grep/grep.ts";
import type { GrepOptions } from "../grep/grep.ts";
import { lsTool } from "../find/ls.ts";
import { readTool } from "../files/read.ts";
import { todosTool } from "../todos/todos.ts";
import type { WorkspaceOptions } from "../files/workspace.ts";
import { writeTool } from "../files/write.ts";
import type { NamedTool } from "./named-tool.ts";
import { sweepTemporaryFiles } from "../files/temporary-files.ts";

/** `bash` includes `bash_output` and `bash_kill`. */
export type ToolsetName =
  | "ls"
  | "read"
  | "glob"
  | "grep"
  | "write"
  | "edit"
  | "bash"
  | "write_todos"
  | "fetch";

/** A tool of the toolset. */
export type ToolsetTool = NamedTool<ToolsetName | "bash_output" | "bash_kill">;

/** Options of `createToolset`: the folder, which tools, and the options of each. */
export interface ToolsetOptions extends WorkspaceOptions {
  /** Default: all but `fetch`, which is added if its options are given or if it is listed here. */
  readonly tools?: readonly ToolsetName[];
  readonly grep?: Omit<GrepOptions, keyof WorkspaceOptions>;
  readonly bash?: Omit<BashOptions, keyof WorkspaceOptions>;
  readonly fetch?: FetchOptions;
}

let hasSwept = false;

/** Temporary files that killed processes have left are removed when a process makes its first tools. */
function sweepOnce(): void {
  if (hasSwept) return;
  hasSwept = true;
  background(sweepTemporaryFiles(), () => {});
}

/** Tools that only read files, for an agent that must not change anything. */
export const readOnlyTools: readonly ToolsetName[] = ["ls", "read", "glob", "grep"];

const makers: Readonly<Record<ToolsetName, (options: ToolsetOptions) => readonly ToolsetTool[]>> = {
  ls: (options) => [lsTool(options)],
  read: (options) => [readTool(options)],
  glob: (options) => [globTool(options)],
  grep: ({ grep, ...options }) => [grepTool({ ...options, ...grep })],
  write: (options) => [writeTool(options)],
  edit: (options) => [editTool(options)],
  bash: ({ bash, ...options }) => [
    bashTool({ ...options, ...bash }),
    bashOutputTool(),
    bashKillTool(),
  ],
  write_todos: () => [todosTool()],
  fetch: ({ fetch }) => [fetchTool(fetch)],
};

/** Returns tools in the order of `ToolsetName`, whatever the order of the selection, so that the prompt stays the same. */
export function createToolset(options: ToolsetOptions = {}): readonly ToolsetTool[] {
  const { tools, fetch } = options;
  sweepOnce();
  const isChosen = (name: string): boolean =>
    tools === undefined
      ? name !== "fetch" || fetch !== undefined
      : tools.some((one) => one === name);
  return Object.entries(makers)
    .filter(([name]) => isChosen(name))
    .flatMap(([, make]) => make(options));
}
