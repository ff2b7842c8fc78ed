/** Time as a host keeps it. */
import type { Timer } from "@capstan/kernel";

export interface Clock {
  /** Milliseconds. */
  readonly now: () => number;
  /** For turns: the process waits for it. */
  readonly timer: Timer;
  /** For what is looked at from time to time: it keeps no process alive. Default `timer`. */
  readonly idleTimer?: Timer;
  /** In [0, 1): so that all who were told to wait do not come back at one moment. Default: they do. */
  readonly random?: () => number;
}

/** The clock of the process. */
export const systemClock: Clock = {
  now: Date.now,
  timer: (ms, fn) => {
    const timeout = setTimeout(fn, ms);
    return () => clearTimeout(timeout);
  },
  idleTimer: (ms, fn) => {
    const timeout = setTimeout(fn, ms);
    // Node gives an object, which the types of a browser do not know.
    (timeout as { unref?(): void }).unref?.();
    return () => clearTimeout(timeout);
  },
  random: Math.random,
};

export function idleTimerOf({ timer, idleTimer = timer }: Clock): Timer {
  return idleTimer;
}
