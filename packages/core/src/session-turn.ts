/** The handle of a turn of a session: fed by the session's events, whichever process runs it. */
import type { AgentEvent, ChatMessage, Turn, TurnResponse } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { background } from "./background.ts";
import { EventQueue, serializeError, toTurnResponse } from "@capstan/kernel";

export class SessionTurn implements Turn {
  readonly id: string;
  readonly conversationId: string;
  readonly response: Promise<TurnResponse>;
  readonly #queue = new EventQueue();
  readonly #onAbort: (reason: string | undefined) => void;
  readonly #complete: (response: TurnResponse<never>) => MaybePromise<TurnResponse>;
  readonly #resolve: (response: MaybePromise<TurnResponse>) => void;
  #isOver = false;
  #inputIds: readonly string[] = [];
  readonly #messages: ChatMessage[] = [];

  constructor(
    id: string,
    conversationId: string,
    onAbort: (reason: string | undefined) => void,
    /** Adds to the response what only the agent knows. */
    complete: (response: TurnResponse<never>) => MaybePromise<TurnResponse>,
  ) {
    const { promise, resolve } = Promise.withResolvers<TurnResponse>();
    this.id = id;
    this.conversationId = conversationId;
    this.response = promise;
    this.#resolve = resolve;
    this.#onAbort = onAbort;
    this.#complete = complete;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get events(): AsyncIterable<AgentEvent> {
    return this.#queue;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#queue[Symbol.asyncIterator]();
  }

  result(): Promise<TurnResponse> {
    return this.response;
  }

  abort(reason?: string): void {
    this.#onAbort(reason);
  }

  /** Takes the next event of the turn. Its end resolves the response. */
  take(event: AgentEvent): void {
    this.#queue.push(event);
    switch (event.type) {
      case "turn_start":
        this.#inputIds = event.input;
        return;
      case "message_end":
        if (!this.#inputIds.includes(event.message.id)) this.#messages.push(event.message);
        return;
      case "turn_end":
        return this.end({
          ...toTurnResponse({ ...event, messages: this.#messages }),
          ...(event.cost !== undefined && { cost: event.cost }),
        });
      default:
        return;
    }
  }

  /** Aborts the turn with this signal, while it is not over. */
  abortOn(signal: AbortSignal): void {
    const abort = (): void => {
      const { reason } = signal as { readonly reason: unknown };
      this.abort(typeof reason === "string" ? reason : undefined);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    background(
      this.response.then(() => signal.removeEventListener("abort", abort)),
      () => {},
    );
  }

  end(response: TurnResponse<never>): void {
    this.#isOver = true;
    this.#queue.end();
    this.#resolve(this.#completed(response));
  }

  #completed(response: TurnResponse<never>): MaybePromise<TurnResponse> {
    try {
      const complete = this.#complete(response);
      // A response always resolves.
      return complete instanceof Promise ? complete.catch(() => response) : complete;
    } catch {
      return response;
    }
  }

  /** The turn never came to be, or nobody here can follow it any more. */
  fail(thrown: unknown): void {
    const error = serializeError(thrown);
    const { id: turnId, conversationId } = this;
    this.#queue.push({ type: "error", conversationId, turnId, error });
    this.end(toTurnResponse({ messages: this.#messages, usage: {}, finishReason: "error", error }));
  }
}
