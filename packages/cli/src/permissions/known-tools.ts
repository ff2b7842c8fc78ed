/** What rules know of the command's tools: what a pattern of theirs is about, and which run without a rule. */

interface KnownTool {
  /** What `tool(pattern)` looks at. Without it there is no such form. */
  readonly pattern?: "command" | "path";
  /** Changes nothing, and stays in the folder. */
  readonly isFree: boolean;
}

export const knownTools: Readonly<Record<string, KnownTool>> = {
  ls: { pattern: "path", isFree: true },
  read: { pattern: "path", isFree: true },
  glob: { pattern: "path", isFree: true },
  grep: { pattern: "path", isFree: true },
  write: { pattern: "path", isFree: false },
  edit: { pattern: "path", isFree: false },
  bash: { pattern: "command", isFree: false },
  bash_output: { isFree: true },
  bash_kill: { isFree: false },
  write_todos: { isFree: true },
  read_output: { isFree: true },
  fetch: { isFree: false },
};
