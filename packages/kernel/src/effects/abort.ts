/** Abort state of a turn, with one listener on the caller's signal. */
import type { AbortSource } from "../contracts/runtime.ts";
import { isInstance, serializeError } from "../errors/errors.ts";
import { guardedController } from "./guarded-signal.ts";

/** Recorded reason of an abort that was caused by a timeout. */
const timeoutReason = "timeout";

/** Called once when the turn is aborted. An object instead of a function, because every step needs two. */
export interface AbortListener {
  onAbort(): void;
}

export class TurnAbort {
  readonly #source: AbortSource | undefined;
  readonly #onSource: (() => void) | undefined;
  #listeners: AbortListener[] | undefined;
  #controller: AbortController | undefined;
  readonly #canExpire: boolean;
  #isAborted = false;
  #hasExpired = false;
  #isReleased = false;

  constructor(source: AbortSource | undefined, canExpire = false) {
    this.#source = source;
    this.#canExpire = canExpire;
    if (source === undefined) return;
    if (source.aborted) this.#isAborted = true;
    else {
      this.#onSource = () => this.#fire();
      source.addEventListener("abort", this.#onSource);
    }
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** True if the turn's time has run out and no caller has aborted it. */
  get isExpired(): boolean {
    return this.#hasExpired && this.#source?.aborted !== true;
  }

  /** True if time ended the turn: its own limit, or a timeout signal of the caller. */
  get isTimeout(): boolean {
    return (
      this.isExpired || (this.#isAborted && abortReasonOf(this.#source?.reason) === timeoutReason)
    );
  }

  /** Called when the turn's time has run out: the turn stops as if it were aborted. */
  expire(): void {
    if (this.#isAborted) return;
    this.#hasExpired = true;
    this.#fire();
  }

  /** Reason that the caller gave, if it is informative. */
  get reason(): string | undefined {
    const reason: unknown = this.#source?.reason;
    if (typeof reason === "string") return reason;
    // The platform's default is an AbortError, which is not informative.
    if (!isInstance(reason, Error)) return undefined;
    const { name, message } = serializeError(reason);
    return name === "AbortError" ? undefined : message;
  }

  /** Signal for the caller's code: fires on abort, and when the turn had to give up. Created on first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = guardedController();
      if (this.#isAborted || this.#isReleased) this.#controller.abort(this.#source?.reason);
    }
    return this.#controller.signal;
  }

  /** Does nothing if the turn is already aborted: check `isAborted` first. */
  addListener(listener: AbortListener): void {
    // Without a signal nothing ever fires. A list of one takes no more memory than it needs.
    if (this.#source === undefined && !this.#canExpire) return;
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeListener(listener: AbortListener): void {
    const listeners = this.#listeners;
    if (listeners === undefined) return;
    // Listeners are added and removed like brackets, so it is almost always the last one.
    if (listeners.at(-1) === listener) {
      listeners.pop();
      return;
    }
    const index = listeners.lastIndexOf(listener);
    if (index !== -1) listeners.splice(index, 1);
  }

  /** Signals code that is still running that its result is no longer awaited. */
  release(): void {
    this.#isReleased = true;
    this.#controller?.abort(this.#source?.reason);
  }

  close(): void {
    if (this.#onSource) this.#source?.removeEventListener("abort", this.#onSource);
    this.#listeners = undefined;
  }

  #fire(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.release();
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener.onAbort();
  }
}

/** Reason of an aborted signal as it is recorded: a text, or "timeout" for the reason of `AbortSignal.timeout`. */
export function abortReasonOf(reason: unknown): string | undefined {
  if (typeof reason === "string") return reason;
  const isTimeout = isInstance(reason, Error) && serializeError(reason).name === "TimeoutError";
  return isTimeout ? timeoutReason : undefined;
}
