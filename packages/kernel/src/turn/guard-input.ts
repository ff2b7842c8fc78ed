/** Lets the input guard judge messages before a model is shown them for the first time. */
import type { ChatMessage } from "../contracts/conversation.ts";
import type { Rejection } from "../contracts/guards.ts";
import { isPromise } from "../effects/is-promise.ts";
import { rejectionError, toRejection } from "../reply/rejection.ts";
import type { End, TurnState } from "./turn-state.ts";

/** Returns the end of the turn if a message is rejected. */
export function guardInput(turn: TurnState): End | undefined | Promise<End | undefined> {
  const { input: judge } = turn.guards;
  if (judge === undefined) return undefined;
  const messages = turn.transcript.unanswered().filter(isGiven);
  // Messages that a model was asked about before a crash have been judged.
  if (messages.length === 0 || turn.isStepAsked) return undefined;
  const verdict = turn.callbacks.call("guards.input", () => judge(messages));
  if (isPromise(verdict)) {
    return verdict.then((found) => endOf(turn, messages, toRejection(found)));
  }
  return endOf(turn, messages, toRejection(verdict));
}

/** The runtime's own messages need no verdict. */
function isGiven(message: ChatMessage): boolean {
  return message.role === "custom" || (message.role === "user" && message.source === undefined);
}

function endOf(
  turn: TurnState,
  messages: readonly ChatMessage[],
  rejection: Rejection | undefined,
): End | undefined {
  if (rejection === undefined) return undefined;
  const error = rejectionError("input_rejected", rejection);
  const messageIds = messages.map(({ id }) => id);
  // Recorded together with the end of the turn.
  turn.record({ type: "input_rejected", step: turn.steps, messageIds, error });
  return { finishReason: "error", error };
}
