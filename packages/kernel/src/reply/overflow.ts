/** Requests that a vendor refuses as they are: the caller may give another context, or make room. If it fails, the error of the attempt stands. */
import { wrongValue } from "../effects/callbacks.ts";
import type { ChatMessage } from "../contracts/conversation.ts";
import type { Room } from "../contracts/loop.ts";
import { ProviderError, isInstance, serializeError } from "../errors/errors.ts";
import type { OpenStep, TurnState } from "../turn/turn-state.ts";

/** Maximum number of parts that a vendor may reject in one step. */
const maxRejections = 16;

/** One replacement is enough for any error, except for rejected parts: vendors name one at a time. */
export function mayReplaceContext(step: OpenStep, thrown: unknown): boolean {
  const isRejection = isInstance(thrown, ProviderError) && thrown.rejected !== undefined;
  return step.contextReplacements < (isRejection ? maxRejections : 1);
}

/** Returns another context for one more attempt. */
export async function askForContext(
  turn: TurnState,
  thrown: unknown,
): Promise<readonly ChatMessage[] | undefined> {
  const { onOverflow } = turn.context;
  if (onOverflow === undefined) return undefined;
  try {
    const messages = await turn.callbacks.call("onOverflow", () =>
      onOverflow(serializeError(thrown), turn.transcript.context()),
    );
    if (messages === undefined || Array.isArray(messages)) return messages;
    throw wrongValue("onOverflow", messages, "a list of messages or undefined");
  } catch (failure) {
    return passOver(turn, failure);
  }
}

/** Undefined unless the request was too long. */
export async function askForRoom(turn: TurnState, thrown: unknown): Promise<Room> {
  const { makeRoom } = turn.context;
  const error = serializeError(thrown);
  // By its shape: the error may come from another copy of the package.
  if (makeRoom === undefined || error.code !== "context_overflow") return undefined;
  try {
    return await turn.callbacks.callUntimed("makeRoom", () => makeRoom(error));
  } catch (failure) {
    return passOver(turn, failure);
  }
}

function passOver(turn: TurnState, failure: unknown): undefined {
  // After an abort the callback has not failed: the abort ended the wait.
  if (!turn.abort.isAborted) turn.log("warn", serializeError(failure).message);
}
