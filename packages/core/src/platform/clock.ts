/** The clock of a host. */
import type { Timer } from "@capstan/kernel";

/** Time, timers and randomness, injected so that tests control them. */
export interface Clock {
  /** Milliseconds. */
  readonly now: () => number;
  /** For turns: keeps the process alive. */
  readonly timer: Timer;
  /** For periodic checks: does not keep the process alive. Default `timer`. */
  readonly idleTimer?: Timer;
  /** In [0, 1), for jitter: callers that back off do not all return at the same moment. Default: no jitter. */
  readonly random?: () => number;
  /** Called repeatedly by turns: returns a promise if timers and I/O have waited too long. Default: never. */
  readonly breathe?: () => Promise<void> | undefined;
}

/** The longest delay `setTimeout` supports; it turns a longer one into 1 ms. */
const longestMs = 2 ** 31 - 1;
/** How long timers and I/O may wait for turns whose providers and tools never wait themselves. */
const stretchMs = 15;

/** A timer on `setTimeout` that supports any delay: a long one is split into pieces. */
export function longTimer(
  onArmed: (timeout: ReturnType<typeof setTimeout>) => void = () => {},
): Timer {
  // Two functions, because every turn has timers: one that may split them needs three closures for each.
  const once: Timer = (ms, fn) => {
    const timeout = setTimeout(fn, ms);
    onArmed(timeout);
    return () => clearTimeout(timeout);
  };
  const inPieces: Timer = (ms, fn) => {
    let timeout: ReturnType<typeof setTimeout>;
    const arm = (leftMs: number): void => {
      const pieceMs = Math.min(leftMs, longestMs);
      timeout = setTimeout(() => (leftMs > pieceMs ? arm(leftMs - pieceMs) : fn()), pieceMs);
      onArmed(timeout);
    };
    arm(ms);
    return () => clearTimeout(timeout);
  };
  return (ms, fn) => (ms > longestMs ? inPieces(ms, fn) : once(ms, fn));
}

/** Node's `setImmediate`, which browser types do not have, runs after timers and I/O. */
const { setImmediate: afterOthers = (fn: () => void): void => void setTimeout(fn, 0) } =
  globalThis as { setImmediate?: (fn: () => void) => void };

/** Measures how long the process has run without letting timers run. Shared by all turns, because they share its event loop. */
function createBreathing(): () => Promise<void> | undefined {
  let startedAt: number | undefined;
  /** Shared by all turns that wait in one stretch: they continue together anyway. */
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

/** The system clock. */
export const systemClock: Clock = {
  now: Date.now,
  timer: longTimer(),
  // Node returns an object, which browser types do not have.
  idleTimer: longTimer((timeout) => (timeout as { unref?(): void }).unref?.()),
  random: Math.random,
  breathe: createBreathing(),
};

export function idleTimerOf({ timer, idleTimer = timer }: Clock): Timer {
  return idleTimer;
}
