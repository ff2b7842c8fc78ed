/** Hooks of an agent, bound to the context of one turn. */
import type { ToolDispatchPolicy } from "@capstan/kernel";
import type { TurnContext } from "../tools/turn-context.ts";
import type { ToolHooks } from "./agent-init.ts";

/** `context` may throw: then the hook fails, which blocks the call or withholds its result. */
export function bindHooks(
  hooks: ToolHooks,
  context: () => TurnContext,
): Pick<ToolDispatchPolicy, "before" | "after"> {
  const { before, after } = hooks;
  return {
    ...(before && { before: (call) => before.call(hooks, call, context()) }),
    ...(after && { after: (call, result) => after.call(hooks, call, result, context()) }),
  };
}
