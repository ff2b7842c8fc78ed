/** Rule-related facts about the command's tools: what their patterns match, and which tools need no rule. */

interface KnownTool {
  /** Subject that `tool(pattern)` matches. Absent: the tool takes no pattern. */
  readonly pattern?: "command" | "path";
  /** True if the tool changes nothing and stays in the folder. */
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
  mcp_resources: { isFree: false },
  mcp_prompts: { isFree: false },
  mcp_search: { isFree: true },
  // A rule decides about the tool that it calls. A call that no tool fits only gets an error.
  mcp_call: { isFree: true },
};
