/** Calls into foreign code whose failure must not affect the turn, and cannot be reported. */
import { isPromise, toPromise } from "./is-promise.ts";

/** Calls `fn` and returns its value, or undefined if it threw. A rejected promise is handled. */
export function quietly<T>(fn: () => T): T | undefined {
  try {
    const returned = fn();
    if (isPromise<unknown>(returned)) observe(returned);
    return returned;
  } catch {
    // The failure of foreign code must not affect the turn.
    return undefined;
  }
}

/** Lets the source of an iterator clean up, without awaiting it: it may be what hangs. */
export function leaveQuietly(iterator: AsyncIterator<unknown> | undefined): void {
  try {
    const left: unknown = iterator?.return?.();
    if (isPromise(left)) observe(left);
  } catch {
    // Its failure must not affect the turn.
  }
}

/** Handles a promise that is not awaited: its rejection must not end the process. */
export function observe(promise: PromiseLike<unknown>): void {
  toPromise(promise).then(undefined, ignore);
}

function ignore(): void {}
