/** The end of a turn: a valid transcript, the last fact, the last event, the result. */
import { Interrupted } from "./callbacks.ts";
import type { UserMessage } from "./contracts/conversation.ts";
import type { Fact, JournalReply } from "./contracts/journal.ts";
import type { RunTurnResult } from "./contracts/runtime.ts";
import { serializeError } from "./errors.ts";
import { refusal } from "./tool-result.ts";
import type { End, TurnState } from "./turn-state.ts";

/** The user message that follows what an abort cut short. */
export const interruptionMarker = "[interrupted by user]";

/** The end that something thrown makes of a turn. */
export function endOf(thrown: unknown): End {
  return thrown instanceof Interrupted ? { finishReason: "aborted" } : failedWith(thrown);
}

function failedWith(thrown: unknown): End {
  return { finishReason: "error", error: serializeError(thrown) };
}

/** Leaves a valid transcript behind, records the end, and shows it. */
export async function concludeTurn(turn: TurnState, end: End): Promise<JournalReply> {
  if (end.pending === undefined) await abandonStep(turn, end);
  const facts: Fact[] = [];
  const isInterrupted =
    end.finishReason === "aborted" || (end.error !== undefined && turn.abort.isAborted);
  const marker = isInterrupted ? interruption(turn) : undefined;
  if (marker !== undefined) facts.push({ type: "message", step: turn.steps, message: marker });
  const durationMs = turn.duration();
  const ended = {
    finishReason: end.finishReason,
    usage: turn.usage,
    ...(durationMs !== undefined && { durationMs }),
    ...(end.pending !== undefined && { pending: end.pending }),
    ...(end.error !== undefined && { error: end.error }),
  };
  const abortReason = end.finishReason === "aborted" ? turn.abort.reason : undefined;
  facts.push({ type: "turn_ended", ...ended, ...(abortReason !== undefined && { abortReason }) });
  let answer: JournalReply;
  await turn.record(
    () => facts,
    (reply) => {
      // A turn that has failed stays ended, whatever the journal says.
      answer = end.error === undefined ? reply : undefined;
      if (answer === "reopen") return;
      const { conversationId, turnId } = turn;
      if (end.pending === undefined) turn.endStep({ finishReason: end.finishReason });
      if (marker !== undefined) {
        turn.transcript.push(marker);
        turn.emitMessage(marker);
      }
      if (end.finishReason === "aborted") {
        turn.emit({
          type: "abort",
          conversationId,
          turnId,
          ...(abortReason !== undefined && { reason: abortReason }),
        });
      }
      if (end.error !== undefined)
        turn.emit({ type: "error", conversationId, turnId, error: end.error });
      turn.emit({ type: "turn_end", conversationId, turnId, ...ended });
    },
  );
  return answer;
}

/** A step that the end of the turn caught in its middle: its calls get their results all the same. */
async function abandonStep(turn: TurnState, end: End): Promise<void> {
  const { step } = turn;
  if (step === undefined || turn.failure !== undefined) return;
  const isAborted = end.finishReason === "aborted";
  await step.calls.abandon(isAborted ? refusal.interruptedBefore : refusal.notRun);
  try {
    await step.complete(turn);
  } catch (thrown) {
    // The turn has an end already, and the step is in the transcript.
    turn.log("warn", serializeError(thrown).message);
  }
}

function interruption(turn: TurnState): UserMessage | undefined {
  const last = turn.transcript.last()?.role;
  // An abort before the model said anything leaves nothing to be explained.
  if (last !== "assistant" && last !== "tool") return undefined;
  return {
    role: "user",
    id: turn.newMessageId(),
    content: interruptionMarker,
    source: "interruption",
  };
}

/** The journal failed: what it lacks is not shown, but the messages of the result are a valid transcript all the same. */
function seal(turn: TurnState): void {
  for (const message of turn.step?.calls.messages() ?? []) turn.transcript.push(message);
  turn.step = undefined;
  const marker = turn.abort.isAborted ? interruption(turn) : undefined;
  if (marker !== undefined) turn.transcript.push(marker);
}

export function toResult(turn: TurnState, end: End): RunTurnResult {
  turn.close();
  if (turn.failure !== undefined) seal(turn);
  const { finishReason, error, pending } =
    turn.failure === undefined ? end : failedWith(turn.failure);
  return {
    messages: turn.transcript.added,
    usage: turn.usage,
    finishReason,
    ...(error !== undefined && { error }),
    ...(pending !== undefined && turn.step && { pending, open: turn.step.calls.toOpen() }),
    progress: turn.progress(),
  };
}
