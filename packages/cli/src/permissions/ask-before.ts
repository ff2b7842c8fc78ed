/** Wraps tools so that calls need approval unless the rules allow them. */
import type { AnyTool, TurnContext } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import type { CallToDecide, Decision } from "./permissions.ts";

/** A tool that asks for approval itself still does, whatever the rules allow. */
export function askBefore(
  tools: readonly AnyTool[],
  decide: (call: CallToDecide) => Decision,
): readonly AnyTool[] {
  return tools.map((tool) => {
    const { name, needsApproval: own } = tool;
    return {
      ...tool,
      needsApproval: async (input: JsonValue, context?: TurnContext) => {
        if (decide({ toolName: name, input }).type !== "allow") return true;
        return typeof own === "function" ? own(input, context) : own === true;
      },
    };
  });
}
