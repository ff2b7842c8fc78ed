/** One place where a turn learns that it must stop, with one listener on the caller's signal. */
import type { AbortSource } from "../contracts/runtime.ts";
import { isInstance, serializeError } from "../errors/errors.ts";
import { guardedController } from "./guarded-signal.ts";

/** Reason of an abort that a timeout has caused, where it is written down. */
const timeoutReason = "timeout";

/** Told once when the turn is aborted. An object and not a function, as two are needed in every step. */
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

  /** Whether the time of the turn has run out, and no caller has aborted it. */
  get isExpired(): boolean {
    return this.#hasExpired && this.#source?.aborted !== true;
  }

  /** Whether time ended the turn: its own limit, or the caller's signal by a timeout. */
  get isTimeout(): boolean {
    return (
      this.isExpired || (this.#isAborted && abortReasonOf(this.#source?.reason) === timeoutReason)
    );
  }

  /** The time of the turn has run out: it stops like one that is aborted. */
  expire(): void {
    if (this.#isAborted) return;
    this.#hasExpired = true;
    this.#fire();
  }

  /** What the caller gave as reason, where it says something. */
  get reason(): string | undefined {
    const reason: unknown = this.#source?.reason;
    if (typeof reason === "string") return reason;
    // The platform's own default is an AbortError that says nothing.
    if (!isInstance(reason, Error)) return undefined;
    const { name, message } = serializeError(reason);
    return name === "AbortError" ? undefined : message;
  }

  /** For code of the caller: fires on abort, and when the turn had to give up. Made at the first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = guardedController();
      if (this.#isAborted || this.#isReleased) this.#controller.abort(this.#source?.reason);
    }
    return this.#controller.signal;
  }

  /** Does nothing for a turn that is aborted already: ask `isAborted` first. */
  addListener(listener: AbortListener): void {
    // Without a signal nothing ever fires. A list of one takes no more memory than it needs.
    if (this.#source === undefined && !this.#canExpire) return;
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeListener(listener: AbortListener): void {
    const listeners = this.#listeners;
    if (listeners === undefined) return;
    // They come and go like brackets, so it is almost always the last one.
    if (listeners[listeners.length - 1] === listener) listeners.pop();
    else this.#listeners = listeners.filter((other) => other !== listener);
  }

  /** Tells code that still runs that nobody waits for it any more. */
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

/** The reason of an aborted signal as it is written down: a text, or "timeout" for what `AbortSignal.timeout` gives. */
export function abortReasonOf(reason: unknown): string | undefined {
  if (typeof reason === "string") return reason;
  const isTimeout = isInstance(reason, Error) && serializeError(reason).name === "TimeoutError";
  return isTimeout ? timeoutReason : undefined;
}
