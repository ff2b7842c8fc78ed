/** The model's part of a step: attempts until one is complete, or until retrying is pointless. */
import { Attempt } from "./attempt.ts";
import { wrongValue } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { ChatMessage } from "../contracts/conversation.ts";
import { toModelMessages } from "./model-messages.ts";
import type { Step } from "../calls/step.ts";
import type { End, TurnState } from "../turn/turn-state.ts";

/** Streams one step. A partial reply is a step too, if it has content; otherwise the turn ends. After a rejected reply, the next step asks again. */
export function streamReply(turn: TurnState): Promise<Step | End | undefined> {
  const context = prepareContext(turn);
  if (isPromise(context)) return context.then((messages) => startAttempt(turn, messages));
  return startAttempt(turn, context);
}

function startAttempt(
  turn: TurnState,
  messages: readonly ChatMessage[] | undefined,
): Promise<Step | End | undefined> {
  const attempt = new Attempt(turn, turn.underWay ?? turn.startStep(), messages, streamReply);
  const announced = attempt.announce();
  return announced === undefined ? attempt.run() : announced.then(() => attempt.run());
}

/** Returns the context of the next request; undefined if no callback transforms it, so that it can be computed on first read. */
function prepareContext(
  turn: TurnState,
): readonly ChatMessage[] | undefined | Promise<readonly ChatMessage[]> {
  const { transformContext, convertToLlm } = turn.context;
  if (transformContext === undefined && convertToLlm === undefined) return undefined;
  return transform(turn);
}

async function transform(turn: TurnState): Promise<readonly ChatMessage[]> {
  const { transformContext, convertToLlm = toModelMessages } = turn.context;
  let messages = turn.transcript.context();
  if (transformContext !== undefined) {
    messages = toMessages(
      "transformContext",
      await turn.callbacks.call("transformContext", () =>
        transformContext(messages, turn.abort.signal),
      ),
    );
  }
  const converted = await turn.callbacks.call("convertToLlm", () => convertToLlm(messages));
  return toMessages("convertToLlm", converted);
}

function toMessages(name: string, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (Array.isArray(messages)) return messages;
  throw wrongValue(name, messages, "a list of messages");
}
