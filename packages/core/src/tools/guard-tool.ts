/** A tool whose calls are checked just before they run. */
import type { ToolOutput } from "@capstan/kernel";
import { fail } from "./tool-output.ts";
import { checkedFirst } from "./scoped-function.ts";
import type { AnyTool } from "./tool.ts";

/**
 * Adds a check to a tool. `check` gets the validated input and the id of the session, also for calls that were
 * approved, for which hooks are not asked again. A text refuses the call: the model gets it as an error result.
 * Returns a client-side tool unchanged.
 */
export function guardTool(
  tool: AnyTool,
  check: (input: unknown, sessionId: string) => string | undefined,
): AnyTool {
  const { execute } = tool;
  if (execute === undefined) return tool;
  const refuse = (input: unknown, sessionId: string): ToolOutput | undefined => {
    const reason = check(input, sessionId);
    return reason === undefined ? undefined : fail(reason);
  };
  return { ...tool, execute: checkedFirst(execute, refuse) };
}
