/** A time limit for awaited callbacks of users. */
import type { Timer } from "@capstan/kernel";
import { TurnError, toPromise } from "@capstan/kernel";
import { defaultCallbackMs } from "./limits.ts";

export const callbackMs: number = defaultCallbackMs;

/** Rejects if the work is not done in time. Without a timer there is no limit. */
export function within<T>(
  timer: Timer | undefined,
  ms: number,
  work: Promise<T>,
  what: string,
): Promise<T> {
  if (timer === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const cancel = timer(ms, () => reject(tooSlow(what, ms)));
    toPromise(work)
      .then(resolve, reject)
      .finally(cancel)
      // The caller already has the rejection.
      .catch(() => {});
  });
}

function tooSlow(what: string, ms: number): TurnError {
  const message = `${what} did not return within ${ms} ms: let it return sooner, or fail`;
  return new TurnError("callback_failed", message);
}
