/** The calls nested in one call, as the context of a tool sees them. */
import type { ToolResult } from "../contracts/tool.ts";
import type { CallRun } from "./call-run.ts";

export interface Nesting {
  /** Id of the model's call that all of them are nested in. */
  readonly rootId: string;
  call(caller: CallRun, toolName: string, input: unknown): Promise<ToolResult>;
  close(): void;
}
