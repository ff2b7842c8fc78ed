/** The injected clock, timer, chance and ids, tamed: one that throws is one that is not there. */
import type { RunTurnInput, Timer } from "./contracts/runtime.ts";

/** The same input, with surroundings that never throw. */
export function withSafeSurroundings(input: RunTurnInput): RunTurnInput {
  const { now, timer, random, newId } = input;
  return {
    ...input,
    ...(now !== undefined && { now: safeClock(now) }),
    ...(timer !== undefined && { timer: safeTimer(timer) }),
    ...(random !== undefined && { random: () => orElse(random, 1) }),
    ...(newId !== undefined && { newId: safeIds(newId) }),
  };
}

/** Where the clock fails, time stands still. */
function safeClock(now: () => number): () => number {
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
function safeTimer(timer: Timer): Timer {
  return (ms, fn) => {
    const cancel = orElse(() => timer(ms, fn), notArmed);
    return cancel === notArmed ? notArmed : () => orElse(cancel, undefined);
  };
}

function safeIds(newId: () => string): () => string {
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
