/** Gates the calls of an agent by the rules: denied calls never run, and calls that no rule allows wait for an approval. */
import type { AnyTool, ToolHooks } from "@capstan/core";
import { guardTool } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { describeAsking } from "./decision.ts";
import { explainToModel } from "./explain-to-model.ts";
import type { CallToDecide, Decision } from "./permissions.ts";

export interface Gate {
  /** Decides by the rules as they were last read. */
  readonly decide: (call: CallToDecide, sessionId: string) => Decision;
  /** Reads rules that changed. */
  readonly refresh: () => Promise<void>;
  /** Called for each call that a rule denies. */
  readonly onDenied?: (call: CallToDecide, denial: Denial) => void;
}

type Denial = Extract<Decision, { readonly type: "deny" }>;

/** Tools that are not the agent's own, such as client-side tools, run elsewhere: only denials apply to them. `isFound`: true for tools of its sources. */
export function rulesHook(
  tools: readonly AnyTool[],
  { decide, refresh, onDenied }: Gate,
  isFound: (toolName: string) => boolean = () => false,
): NonNullable<ToolHooks["before"]> {
  const names = new Set(tools.map(({ name }) => name));
  return async ({ toolName, input }, { session }) => {
    await refresh();
    const decision = decide({ toolName, input }, session.id);
    if (decision.type === "deny") {
      onDenied?.({ toolName, input }, decision);
      return { action: "block", reason: explainToModel(decision) };
    }
    if (decision.type === "allow" || !(names.has(toolName) || isFound(toolName))) {
      return { action: "run" };
    }
    return { action: "ask", reason: describeAsking(decision) };
  };
}

/** Hooks are not asked about approved calls. So each call is checked once more when it starts: no approval lifts a denial. */
export function enforceDenials(tools: readonly AnyTool[], gate: Gate): readonly AnyTool[] {
  const { decide, refresh } = gate;
  return tools.map((tool) => {
    const { name, parseInput } = tool;
    const guarded = guardTool(tool, (input, sessionId) => {
      // Validated input of a tool call is JSON.
      const decision = decide({ toolName: name, input: input as JsonValue }, sessionId);
      if (decision.type !== "deny") return undefined;
      gate.onDenied?.({ toolName: name, input: input as JsonValue }, decision);
      return explainToModel(decision);
    });
    return {
      ...guarded,
      parseInput: async (input: JsonValue) => {
        await refresh();
        return parseInput === undefined ? { value: input } : parseInput.call(tool, input);
      },
    };
  });
}
