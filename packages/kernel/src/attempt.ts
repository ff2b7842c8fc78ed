/** One call of the provider, from the request to its end, whatever the provider does. */
import type { AbortListener } from "./abort.ts";
import type { FinishReason } from "./contracts/conversation.ts";
import type { StepTiming } from "./contracts/events.ts";
import type { ProviderPart } from "./contracts/provider.ts";
import { ProviderError } from "./errors.ts";
import type { Reply } from "./reply.ts";
import type { AttemptRequest } from "./request.ts";
import type { TurnState } from "./turn-state.ts";
import type { Expiry, Watched } from "./watchdog.ts";

export type AttemptOutcome =
  | { readonly type: "completed" }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly thrown: unknown };

const completed: AttemptOutcome = { type: "completed" };
const aborted: AttemptOutcome = { type: "aborted" };

export class Attempt implements AbortListener, Watched {
  readonly #turn: TurnState;
  readonly #request: AttemptRequest;
  readonly #reply: Reply;
  readonly #startedAt: number | undefined;
  #firstContentAt: number | undefined;
  #iterator: AsyncIterator<ProviderPart> | undefined;
  #resolve: ((outcome: AttemptOutcome) => void) | undefined;
  /** Times on the caller's clock, where there is one; known when the attempt has ended. */
  timing: StepTiming | undefined;

  constructor(turn: TurnState, request: AttemptRequest, reply: Reply) {
    this.#turn = turn;
    this.#request = request;
    this.#reply = reply;
    this.#startedAt = turn.input.now?.();
  }

  /**
   * Reads the stream into the reply. The loop that reads is not the one that waits: an abort or a deadline ends the
   * wait at once, and a provider that ignores its signal reads on into nothing.
   */
  run(): Promise<AttemptOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { abort, watchdog } = this.#turn;
      if (abort.isAborted) return this.#end(aborted);
      abort.addListener(this);
      watchdog?.start(this);
      this.#read().catch((thrown: unknown) => this.#end({ type: "failed", thrown }));
    });
  }

  onAbort(): void {
    this.#end(aborted);
  }

  expire(expiry: Expiry, ms: number): void {
    const message = `The provider was too slow: no ${expiry} within ${ms} ms`;
    this.#end({ type: "failed", thrown: new ProviderError("network", message) });
  }

  async #read(): Promise<void> {
    const { watchdog, input } = this.#turn;
    const { provider, now } = input;
    const reply = this.#reply;
    const iterator = provider.stream(this.#request)[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (;;) {
      const { value, done } = await iterator.next();
      if (this.#resolve === undefined) return;
      if (done === true)
        throw new ProviderError("network", "The stream ended before the reply did");
      watchdog?.beat();
      reply.apply(value);
      if (this.#firstContentAt === undefined && reply.hasContent) this.#firstContentAt = now?.();
      if (reply.finishReason !== undefined) return this.#finish(reply.finishReason);
    }
  }

  /** A reply that its provider calls failed is a failed attempt, whatever it has said. */
  #finish(reason: FinishReason): void {
    const isFailed = reason === "error" || reason === "aborted";
    if (!isFailed) return this.#end(completed);
    const message = `The provider ended the reply with the finish reason "${reason}"`;
    this.#end({ type: "failed", thrown: new ProviderError("protocol", message) });
  }

  #end(outcome: AttemptOutcome): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    this.#turn.abort.removeListener(this);
    this.#turn.watchdog?.stop();
    this.timing = this.#measure();
    if (outcome !== completed) this.#request.cancel();
    this.#close();
    resolve(outcome);
  }

  #measure(): StepTiming | undefined {
    const endedAt = this.#turn.input.now?.();
    if (endedAt === undefined || this.#startedAt === undefined) return undefined;
    const totalMs = endedAt - this.#startedAt;
    const firstContentAt = this.#firstContentAt;
    if (firstContentAt === undefined) return { totalMs };
    return {
      ttftMs: firstContentAt - this.#startedAt,
      decodeMs: endedAt - firstContentAt,
      totalMs,
    };
  }

  /** Lets the provider clean up, without waiting for it: it may be the very thing that hangs. */
  #close(): void {
    try {
      this.#iterator?.return?.()?.then(undefined, () => {});
    } catch {
      // The attempt has its outcome; how the provider failed to clean up adds nothing to it.
    }
  }
}
