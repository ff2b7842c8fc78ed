/** Entries that open a turn: a checkpoint if it is time for one, its start or resume, and the prompt if it has changed. */
import type { OwnedBody, SessionFold } from "@capstan/log";
import { toCheckpointBody } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { SessionLog } from "./session-log.ts";
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

/** Longest state that is recorded, in characters of JSON: stores limit the size of an entry. */
const maxCheckpointChars = 1_000_000;

/** State before the turn, if a checkpoint is due. A turn that goes on has none: its state is not at rest. */
export function checkpointBefore(
  { type }: TurnAction,
  log: SessionLog,
  after: number,
): readonly OwnedBody[] {
  if (type !== "start" || !log.isCheckpointDue(after)) return [];
  const state = log.feed.checkpoint();
  if (state === undefined) return [];
  const body = toCheckpointBody(state, maxCheckpointChars);
  if (body !== undefined) return [body];
  log.postponeCheckpoint();
  return [];
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
