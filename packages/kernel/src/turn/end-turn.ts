/** End of a turn: a valid transcript, the last fact, the last event, the result. */
import { isAbortedCallback } from "../effects/callbacks.ts";
import type { UserMessage } from "../contracts/conversation.ts";
import type { Fact } from "../contracts/journal.ts";
import type { RunTurnResult } from "../contracts/runtime.ts";
import type { Draft } from "../effects/draft.ts";
import { serializeError } from "../errors/errors.ts";
import { interruptedBefore, refusal } from "../calls/tool-result.ts";
import type { End, TurnState } from "./turn-state.ts";

/** User message that follows an aborted reply. */
export const interruptionMarker = "[interrupted by user]";
const timeLimitMarker = "[interrupted: the time limit of the turn was reached]";

/** Converts a thrown value to the end of the turn. */
export function endOf(thrown: unknown): End {
  return isAbortedCallback(thrown) ? { finishReason: "aborted" } : failedWith(thrown);
}

function failedWith(thrown: unknown): End {
  return { finishReason: "error", error: serializeError(thrown) };
}

/** The end as it is shown: a turn that ran out of time was not aborted by a caller. */
export function toldEnd({ abort }: TurnState, end: End): End {
  const isExpired = end.finishReason === "aborted" && abort.isExpired;
  return isExpired ? { ...end, finishReason: "budget-exceeded" } : end;
}

/** Leaves a valid transcript, and records and shows the end. Returns false if the journal reopens the turn instead. */
export async function concludeTurn(turn: TurnState, end: End): Promise<boolean> {
  if (turn.step !== undefined && end.pending === undefined) await abandonStep(turn, end);
  const { abort } = turn;
  const isAborted =
    end.finishReason === "aborted" ||
    abort.isExpired ||
    (end.error !== undefined && abort.isAborted);
  const marker = isAborted ? interruption(turn) : undefined;
  if (marker !== undefined) turn.recordMessage(marker);
  let isOver = false;
  turn.record(endFact(turn, end), () => {
    isOver = true;
  });
  const recorded = turn.flush();
  if (recorded !== undefined) await recorded;
  return isOver || turn.failure !== undefined;
}

function endFact(turn: TurnState, { finishReason, pending, error }: End): Fact {
  const fact: Draft<Extract<Fact, { type: "turn_ended" }>> = {
    type: "turn_ended",
    finishReason,
    usage: turn.usage,
  };
  const durationMs = turn.duration();
  const abortReason = finishReason === "aborted" ? turn.abort.reason : undefined;
  if (durationMs !== undefined) fact.durationMs = durationMs;
  if (pending !== undefined) fact.pending = pending;
  if (error !== undefined) fact.error = error;
  if (abortReason !== undefined) fact.abortReason = abortReason;
  return fact;
}

/** Gives results to the calls of a step that was open when the turn ended. */
async function abandonStep(turn: TurnState, end: End): Promise<void> {
  const { step } = turn;
  if (step === undefined || turn.failure !== undefined) return;
  const isAborted = end.finishReason === "aborted" || turn.abort.isExpired;
  await step.calls.abandon(isAborted ? interruptedBefore(turn.abort) : refusal.notRun);
  try {
    await step.complete(turn);
  } catch (thrown) {
    // The turn has already ended, and the step is in the transcript.
    turn.log("warn", serializeError(thrown).message);
  }
}

function interruption(turn: TurnState): UserMessage | undefined {
  const last = turn.transcript.last()?.role;
  // An abort before any model output needs no explanation.
  if (last !== "assistant" && last !== "tool") return undefined;
  return {
    role: "user",
    id: turn.newMessageId(),
    content: turn.abort.isTimeout ? timeLimitMarker : interruptionMarker,
    source: "interruption",
  };
}

/** After a journal failure: facts that were not recorded are not shown, but the messages of the result still form a valid transcript. */
function seal(turn: TurnState): void {
  for (const message of turn.step?.calls.messages() ?? []) turn.transcript.push(message);
  turn.step = undefined;
  const marker = turn.abort.isAborted ? interruption(turn) : undefined;
  if (marker !== undefined) turn.transcript.push(marker);
}

export function toResult(turn: TurnState, end: End): RunTurnResult {
  turn.close();
  const failed = turn.failure && failedWith(turn.failure);
  if (failed !== undefined) {
    turn.endSpans(failed);
    seal(turn);
  }
  const { finishReason, error, pending } = failed ?? end;
  const result: Draft<RunTurnResult> = {
    messages: turn.transcript.added,
    usage: turn.usage,
    finishReason,
    progress: turn.progress(),
  };
  if (error !== undefined) result.error = error;
  if (pending !== undefined && turn.step !== undefined) {
    result.pending = pending;
    result.open = turn.step.calls.toOpen();
  }
  return result;
}
