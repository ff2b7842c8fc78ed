/** The request of one attempt. Costly fields are made when they are read. */
import type { ChatMessage } from "./contracts/conversation.ts";
import type { ProviderRequest, ProviderStreamOptions } from "./contracts/provider.ts";
import { guardedController } from "./guarded-signal.ts";
import { toModelMessages } from "./model-messages.ts";
import type { TurnState } from "./turn-state.ts";

const noOptions: ProviderStreamOptions = Object.freeze({});

/** The signal of one attempt, made at the first read. */
export class AttemptSignal {
  #controller: AbortController | undefined;
  #isCancelled = false;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = guardedController();
      if (this.#isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Tells the provider that its reply is no longer read. */
  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }
}

/**
 * A plain object, so that `{ ...request, options }` has everything: the getters are its own and enumerable. Without `messages` the
 * turn is asked for them at the first read: ten thousand cost nothing if they are never read.
 */
export function toRequest(
  turn: TurnState,
  step: number,
  attempt: number,
  messages: readonly ChatMessage[] | undefined,
  signal: AttemptSignal,
): ProviderRequest {
  let read = messages;
  const { conversationId, turnId, input, route } = turn;
  return {
    conversationId,
    turnId,
    step,
    attempt,
    tools: input.tools,
    options: route?.options ?? input.providerOpts ?? noOptions,
    ...(route && { modelIndex: route.index }),
    ...(turn.isClosing && { toolChoice: "none" }),
    get messages() {
      return (read ??= toModelMessages(turn.transcript.context()));
    },
    get signal() {
      return signal.signal;
    },
  };
}
