/** `@capstan/toolset`: tools that work in a folder. */
export { bashTool } from "./bash/bash.ts";
export type { BashDetails, BashOptions } from "./bash/bash.ts";
export { bashKillTool, bashOutputTool } from "./bash/job-tools.ts";
export type { JobDetails } from "./bash/job-tools.ts";
export { withheldNames } from "./bash/environment.ts";
export type { EnvironmentChoice } from "./bash/environment.ts";
export type { SandboxOptions } from "./sandbox/confine.ts";
export { checkSandbox } from "./sandbox/drivers.ts";
export type {
  SandboxDriver,
  SandboxMode,
  SandboxNetwork,
  SandboxPolicy,
} from "./sandbox/policy.ts";
export { editTool } from "./edit/edit.ts";
export type { EditDetails } from "./edit/edit.ts";
export { fetchTool } from "./fetch/fetch.ts";
export type { FetchDetails, FetchOptions } from "./fetch/fetch.ts";
export { compileGlob } from "./find/glob-pattern.ts";
export { globTool } from "./find/glob.ts";
export type { GlobDetails } from "./find/glob.ts";
export { grepTool } from "./grep/grep.ts";
export type { GrepDetails, GrepOptions } from "./grep/grep.ts";
export { findRipgrep } from "./grep/ripgrep.ts";
export { lsTool } from "./find/ls.ts";
export type { LsDetails, LsEntry } from "./find/ls.ts";
export { readTool } from "./files/read.ts";
export type { ReadDetails } from "./files/read.ts";
export { todosOf, todosTool } from "./todos/todos.ts";
export type { Todo, TodosDetails, TodoStatus } from "./todos/todos.ts";
export { createToolset, readOnlyTools } from "./toolset/toolset.ts";
export type { NamedTool } from "./toolset/named-tool.ts";
export type { ToolsetName, ToolsetOptions, ToolsetTool } from "./toolset/toolset.ts";
export type { WorkspaceOptions } from "./files/workspace.ts";
export { writeTool } from "./files/write.ts";
export type { WriteDetails } from "./files/write.ts";
