/** Entries that open a turn: its start or resume, and the prompt if it has changed. */
import type { OwnedBody, SessionFold } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { TurnAction } from "./turn-input.ts";

export function openingOf(action: TurnAction, epoch: number): OwnedBody {
  const { turnId } = action;
  switch (action.type) {
    case "start":
      return { type: "turn_started", turnId, input: action.input };
    case "continue":
      return { type: "turn_started", turnId, input: [], continues: action.continues };
    case "resume":
      return { type: "turn_resumed", turnId, epoch };
    default:
      return action satisfies never;
  }
}

/** Empty if the log has the plan's prompt, or the plan could not resolve it. */
export function changeOfPrompt(
  { prompt: last }: SessionFold,
  turnId: string,
  { prompt }: TurnPlan,
): OwnedBody[] {
  if (prompt === undefined) return [];
  const isSame = last?.instructions === prompt.instructions && last?.toolsHash === prompt.toolsHash;
  return isSame ? [] : [{ type: "prompt", turnId, ...prompt }];
}
