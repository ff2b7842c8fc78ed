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
  /** Asked by turns again and again: a promise, if timers and I/O have waited for too long. Default: they never have to. */
  readonly breathe?: () => Promise<void> | undefined;
}

/** The longest time that `setTimeout` takes; it takes a longer one for 1 ms. */
const longestMs = 2 ** 31 - 1;
/** So long timers and I/O may wait for turns whose providers and tools never wait themselves. */
const stretchMs = 15;

/** A timer on `setTimeout` that takes any time: a long one is waited for in pieces. */
export function longTimer(
  onArmed: (timeout: ReturnType<typeof setTimeout>) => void = () => {},
): Timer {
  return (ms, fn) => {
    let timeout: ReturnType<typeof setTimeout>;
    const arm = (leftMs: number): void => {
      const pieceMs = Math.min(leftMs, longestMs);
      timeout = setTimeout(() => (leftMs > pieceMs ? arm(leftMs - pieceMs) : fn()), pieceMs);
      onArmed(timeout);
    };
    arm(ms);
    return () => clearTimeout(timeout);
  };
}

/** Node's `setImmediate`, which the types of a browser do not know, runs once timers and I/O had their turn. */
const { setImmediate: afterOthers = (fn: () => void): void => void setTimeout(fn, 0) } =
  globalThis as { setImmediate?: (fn: () => void) => void };

/** Measures how long the process has run without letting timers run. One for all turns of it, as they share its loop. */
function createBreathing(): () => Promise<void> | undefined {
  let startedAt: number | undefined;
  /** Shared by all turns that wait in one stretch: they go on together in any case. */
  let pause: Promise<void> | undefined;
  return () => {
    if (pause !== undefined) return pause;
    const now = performance.now();
    if (startedAt === undefined) {
      startedAt = now;
      afterOthers(() => {
        startedAt = undefined;
        pause = undefined;
      });
      return undefined;
    }
    if (now - startedAt < stretchMs) return undefined;
    pause = new Promise((resolve) => {
      afterOthers(resolve);
    });
    return pause;
  };
}

/** The clock of the process. */
export const systemClock: Clock = {
  now: Date.now,
  timer: longTimer(),
  // Node gives an object, which the types of a browser do not know.
  idleTimer: longTimer((timeout) => (timeout as { unref?(): void }).unref?.()),
  random: Math.random,
  breathe: createBreathing(),
};

export function idleTimerOf({ timer, idleTimer = timer }: Clock): Timer {
  return idleTimer;
}
