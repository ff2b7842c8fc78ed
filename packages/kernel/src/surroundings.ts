/** The injected clock, timer, chance and ids, tamed: one that throws is one that is not there. */
import type { Timer } from "./contracts/runtime.ts";

/** Where the clock fails, time stands still. */
export function safeClock(now: () => number): () => number {
  let last = 0;
  return () => {
    try {
      last = now();
    } catch {
      // The last time is the best there is.
    }
    return last;
  };
}

/** What a timer that could not be armed gives in place of its way to cancel. */
export const notArmed = (): void => {};

/** Where the timer fails, nothing fires. */
export function safeTimer(timer: Timer): Timer {
  return (ms, fn) => {
    const cancel = orElse(() => timer(ms, fn), notArmed);
    return cancel === notArmed ? notArmed : () => orElse(cancel, undefined);
  };
}

/** Where chance fails, there is no jitter. */
export function safeRandom(random: () => number): () => number {
  return () => orElse(random, 1);
}

/** Where ids fail, they are counted. */
export function safeIds(newId: () => string): () => string {
  let failures = 0;
  return () => orElse(newId, undefined) ?? `id_${++failures}`;
}

function orElse<T>(fn: () => T, fallback: T): T {
  try {
    return fn();
  } catch {
    return fallback;
  }
}
