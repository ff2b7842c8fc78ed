/** Tools whose calls wait for an approval unless they are allowed. */
import type { AnyTool } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import type { CallToDecide, Decision } from "./permissions.ts";

/** A tool that asks by itself goes on to do so, whatever is allowed. */
export function askBefore(
  tools: readonly AnyTool[],
  decide: (call: CallToDecide) => Decision,
): readonly AnyTool[] {
  return tools.map((tool) => {
    const { name, needsApproval: own } = tool;
    return {
      ...tool,
      needsApproval: async (input: JsonValue) => {
        if (decide({ toolName: name, input }).type !== "allow") return true;
        return typeof own === "function" ? own(input) : own === true;
      },
    };
  });
}
