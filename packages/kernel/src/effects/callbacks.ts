/** Waits for the caller's code: no longer than allowed, and not past an abort. */
import type { FinishReason } from "../contracts/conversation.ts";
import type { TurnAbort } from "./abort.ts";
import { TurnError, isInstance, serializeError } from "../errors/errors.ts";
import { isPromise, toPromise } from "./is-promise.ts";
import type { Surroundings } from "./surroundings.ts";

/** Thrown if an abort of the turn cut a wait short. Never leaves the kernel. */
class AbortedCallback extends Error {
  override readonly name = "AbortedCallback";
}

export function isAbortedCallback(thrown: unknown): boolean {
  return isInstance(thrown, AbortedCallback);
}

/** Calls a callback, to give it its position in a trace. */
interface Caller {
  within<T>(call: () => T): T;
}

export class Callbacks {
  readonly #surroundings: Surroundings;
  readonly #limitMs: number;
  readonly #abort: TurnAbort;
  readonly #caller: Caller;

  constructor(surroundings: Surroundings, limitMs: number, abort: TurnAbort, caller: Caller) {
    this.#surroundings = surroundings;
    this.#limitMs = limitMs;
    this.#abort = abort;
    this.#caller = caller;
  }

  /**
   * Calls `fn` and returns its value, synchronously unless it is a promise. Fails with a `TurnError` that names the callback, or with
   * `AbortedCallback` if the turn is aborted in the meantime.
   */
  call<T>(name: string, fn: () => T | Promise<T>): T | Promise<T> {
    return this.take(name, this.#attempt(name, fn));
  }

  /** Like `call`, for a callback that has already been called. */
  take<T>(name: string, value: T | Promise<T>): T | Promise<T> {
    return isPromise(value) ? this.#wait(name, value, true) : value;
  }

  /** Like `call`, for a callback that sets its own deadlines. */
  callUntimed<T>(name: string, fn: () => T | Promise<T>): T | Promise<T> {
    const value = this.#attempt(name, fn);
    return isPromise(value) ? this.#wait(name, value, true, Infinity) : value;
  }

  /**
   * Like `call`, but an abort does not end the wait, because it matters how the callback ended. Without a timer an abort does end it,
   * because nothing else would.
   */
  callToEnd<T>(name: string, fn: () => T | Promise<T>): T | Promise<T> {
    const value = this.#attempt(name, fn);
    if (!isPromise(value)) return value;
    const hasLimit = this.#surroundings.hasTimer && this.#limitMs !== Infinity;
    return this.#wait(name, value, !hasLimit);
  }

  #attempt<T>(name: string, fn: () => T | Promise<T>): T | Promise<T> {
    try {
      return this.#caller.within(fn);
    } catch (thrown) {
      throw failed(name, thrown);
    }
  }

  #wait<T>(
    name: string,
    promise: Promise<T>,
    endsOnAbort: boolean,
    limitMs = this.#limitMs,
  ): Promise<T> {
    const abort = this.#abort;
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error): void => {
        release();
        reject(error);
      };
      const listener = { onAbort: (): void => fail(new AbortedCallback(name)) };
      const cancel = this.#surroundings.setTimer(limitMs, () => {
        const message = `${name} did not return within ${limitMs} ms: make it faster, or raise deadlines.callbackMs`;
        fail(new TurnError("callback_failed", message));
      });
      const release = (): void => {
        abort.removeListener(listener);
        this.#surroundings.clearTimer(cancel);
      };
      if (endsOnAbort) abort.addListener(listener);
      if (endsOnAbort && abort.isAborted) listener.onAbort();
      toPromise(promise).then(
        (value) => {
          release();
          resolve(value);
        },
        (thrown: unknown) => fail(failed(name, thrown)),
      );
    });
  }
}

/** Error for a value that the types do not allow: untyped code may return anything. */
export function wrongValue(name: string, value: unknown, expected: string): TurnError {
  const message = `${name} returned ${kindOf(value)}: it must return ${expected}`;
  return new TurnError("callback_failed", message);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return `a value of type ${typeof value}`;
}

export function failed(name: string, thrown: unknown): TurnError {
  return new TurnError("callback_failed", `${name} failed: ${serializeError(thrown).message}`, {
    cause: thrown,
  });
}

/** Checks a finish reason that a callback returned. */
export function toReason(name: string, reason: unknown): FinishReason {
  if (typeof reason === "string") return reason;
  throw wrongValue(name, reason, "a finish reason (a string)");
}
