/** One call of the provider, from the request to its end, whatever the provider does. */
import type { TurnAbort } from "./abort.ts";
import type { StepTiming } from "./contracts/events.ts";
import type { ProviderContract, ProviderPart } from "./contracts/provider.ts";
import { ProviderError } from "./errors.ts";
import type { Reply } from "./reply.ts";
import type { AttemptRequest } from "./request.ts";
import type { Watchdog } from "./watchdog.ts";

export type AttemptOutcome =
  | { readonly type: "completed" }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly thrown: unknown };

export interface AttemptSetting {
  readonly provider: ProviderContract;
  readonly abort: TurnAbort;
  readonly watchdog: Watchdog | undefined;
  readonly now: (() => number) | undefined;
}

export class Attempt {
  readonly #setting: AttemptSetting;
  readonly #request: AttemptRequest;
  readonly #reply: Reply;
  readonly #startedAt: number | undefined;
  #firstContentAt: number | undefined;
  #iterator: AsyncIterator<ProviderPart> | undefined;
  #resolve: ((outcome: AttemptOutcome) => void) | undefined;
  #stopListening: (() => void) | undefined;

  constructor(setting: AttemptSetting, request: AttemptRequest, reply: Reply) {
    this.#setting = setting;
    this.#request = request;
    this.#reply = reply;
    this.#startedAt = setting.now?.();
  }

  /**
   * Reads the stream into the reply. The loop that reads is not the one that waits: an abort or a deadline ends the
   * wait at once, and a provider that ignores its signal reads on into nothing.
   */
  run(): Promise<AttemptOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#stopListening = this.#setting.abort.onAbort(() => this.#end({ type: "aborted" }));
      this.#setting.watchdog?.start((expiry, ms) => {
        const message = `The provider was silent for too long: no ${expiry} within ${ms} ms`;
        this.#end({ type: "failed", thrown: new ProviderError("network", message) });
      });
      this.#read().catch((thrown: unknown) => this.#end({ type: "failed", thrown }));
    });
  }

  /** Times on the caller's clock, where there is one. */
  timing(): StepTiming | undefined {
    const { now } = this.#setting;
    if (now === undefined || this.#startedAt === undefined) return undefined;
    const endedAt = now();
    const totalMs = endedAt - this.#startedAt;
    if (this.#firstContentAt === undefined) return { totalMs };
    return {
      ttftMs: this.#firstContentAt - this.#startedAt,
      decodeMs: endedAt - this.#firstContentAt,
      totalMs,
    };
  }

  async #read(): Promise<void> {
    const { provider, watchdog, now } = this.#setting;
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
      if (this.#firstContentAt === undefined && now !== undefined && reply.hasContent) {
        this.#firstContentAt = now();
      }
      if (reply.finishReason !== undefined) return this.#end({ type: "completed" });
    }
  }

  #end(outcome: AttemptOutcome): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    this.#stopListening?.();
    this.#setting.watchdog?.stop();
    if (outcome.type !== "completed") this.#request.cancel();
    this.#close();
    resolve(outcome);
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
