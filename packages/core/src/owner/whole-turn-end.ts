/** The end of a turn as it is recorded: the kernel knows what happened in this process, and the turn may have begun in another. */
import type { Fact, Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { SessionLog } from "./session-log.ts";

export type TurnEnded = Extract<Fact, { readonly type: "turn_ended" }>;

/** `before`: facts that are recorded together with the end. They are not folded yet. */
export function wholeTurnEnd(log: SessionLog, before: readonly Fact[], end: TurnEnded): TurnEnded {
  const { turn } = log.fold;
  if (turn === undefined) return end;
  const usage = before.reduce(addFact, turn.usage);
  return { ...end, usage, durationMs: log.now() - turn.startedAt };
}

function addFact(usage: Usage, fact: Fact): Usage {
  if (fact.type === "attempt_ended") {
    return addUsage(usage, fact.usage ?? { unreportedAttempts: 1 });
  }
  switch (fact.type) {
    case "tool_result":
    case "nested_result":
    case "suspended":
      return addUsage(usage, fact.usage ?? {});
    default:
      return usage;
  }
}
