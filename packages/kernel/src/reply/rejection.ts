/** Verdicts of guards, and the errors they become. */
import { wrongValue } from "../effects/callbacks.ts";
import type { ChatMessage, SerializedError } from "../contracts/conversation.ts";
import type { Rejection } from "../contracts/guards.ts";
import type { Fact } from "../contracts/journal.ts";
import { TurnError, serializeError } from "../errors/errors.ts";
import type { End, TurnState } from "../turn/turn-state.ts";

/** Untyped code may return anything. */
export function toRejection(verdict: unknown): Rejection | undefined {
  if (verdict === undefined || verdict === null) return undefined;
  if (typeof verdict === "object" && "reason" in verdict && typeof verdict.reason === "string") {
    return verdict as Rejection;
  }
  throw wrongValue("A guard", verdict, "a rejection with a reason, or nothing");
}

export function rejectionError(
  code: "input_rejected" | "output_rejected",
  { reason, guard }: Rejection,
): SerializedError {
  const error = serializeError(new TurnError(code, reason));
  return guard === undefined ? error : { ...error, guard };
}

/** Records a rejected reply. The turn ends with it, or the model is asked once more in the next step. */
export function recordRejection(
  turn: TurnState,
  ended: Extract<Fact, { type: "attempt_ended" }>,
  { retry: content }: Rejection,
  error: SerializedError,
): End | undefined | Promise<undefined> {
  const wasAsked = turn.isClosing || turn.transcript.hasSinceInput(isGuardPrompt);
  if (content === undefined || wasAsked) {
    // Recorded together with the end of the turn: after a crash in between, the model would be asked again.
    turn.record(ended);
    return { finishReason: "error", error };
  }
  turn.record(ended, () => {
    turn.steps++;
  });
  const prompt = { role: "user", id: turn.newMessageId(), content, source: "guard" } as const;
  turn.recordMessage(prompt, ended.step);
  return turn.afterFlush(undefined);
}

function isGuardPrompt(message: ChatMessage): boolean {
  return message.role === "user" && message.source === "guard";
}
