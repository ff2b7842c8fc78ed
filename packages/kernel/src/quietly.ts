/** For code of others whose failure must not touch the turn, and about which nobody can be told. */
import { isPromise } from "./callbacks.ts";

/** Calls it and gives what it returned, or nothing if it threw. A promise that rejects is taken care of. */
export function quietly<T>(fn: () => T): T | undefined {
  try {
    const returned = fn();
    if (isPromise<unknown>(returned)) returned.then(undefined, () => {});
    return returned;
  } catch {
    return undefined;
  }
}

/** Lets the source of an iterator clean up, without waiting for it: it may be the very thing that hangs. */
export function leaveQuietly(iterator: AsyncIterator<unknown> | undefined): void {
  quietly((): unknown => iterator?.return?.());
}
