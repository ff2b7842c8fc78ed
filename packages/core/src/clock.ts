/** Time as a host keeps it. */
import type { Timer } from "@capstan/kernel";

export interface Clock {
  /** Milliseconds. */
  readonly now: () => number;
  readonly timer: Timer;
}

/** The clock of the process. Its timers keep no process alive: what waits for a model or a tool does. */
export const systemClock: Clock = {
  now: Date.now,
  timer: (ms, fn) => {
    const timeout = setTimeout(fn, ms);
    // Node gives an object, which the types of a browser do not know.
    (timeout as { unref?(): void }).unref?.();
    return () => clearTimeout(timeout);
  },
};
