/** A clock and a timer that advance only when a test says so. */
import { setImmediate } from "node:timers/promises";
import type { Timer } from "@capstan/kernel";

/** A clock that moves only when a test moves it. */
export interface ManualClock {
  /** Milliseconds; works without `this`, like the others. */
  readonly now: () => number;
  readonly timer: Timer;
  /**
   * Advances, firing due timers in order. Before and after each, everything that can run without the clock does: use `advance(0)` to let
   * promises settle.
   */
  readonly advance: (ms: number) => Promise<void>;
  /** Advances to the next timer and fires all that are due then. False if no timer is pending. */
  readonly advanceToNext: () => Promise<boolean>;
  /** Advances from timer to timer until the promise has settled. Fails if it has not and no timer is left. */
  readonly runUntil: <T>(promise: Promise<T>) => Promise<T>;
  /** Number of armed timers. */
  readonly pending: () => number;
}

interface ArmedTimer {
  readonly at: number;
  readonly fn: () => void;
}

const maxTimersPerAdvance = 10_000;

/** Creates a clock that moves only when a test moves it. */
export function manualClock(startAt = 0): ManualClock {
  let time = startAt;
  // Timers that are due at the same time fire in insertion order.
  const timers = new Set<ArmedTimer>();

  const timer: Timer = (ms, fn) => {
    const armed = { at: time + Math.max(0, ms), fn };
    timers.add(armed);
    return () => timers.delete(armed);
  };

  const nextDue = (): ArmedTimer | undefined => {
    let next: ArmedTimer | undefined;
    for (const armed of timers) if (next === undefined || armed.at < next.at) next = armed;
    return next;
  };

  const advanceTo = async (target: number): Promise<void> => {
    await settle();
    for (let fired = 0; ; fired += 1) {
      const due = nextDue();
      if (due === undefined || due.at > target) break;
      if (fired === maxTimersPerAdvance) {
        throw new Error(`${fired} timers fired without an end: one of them re-arms itself at once`);
      }
      timers.delete(due);
      time = Math.max(time, due.at);
      due.fn();
      await settle();
    }
    time = Math.max(time, target);
  };

  const advanceToNext = async (): Promise<boolean> => {
    await settle();
    const next = nextDue();
    if (next === undefined) return false;
    await advanceTo(next.at);
    return true;
  };

  const runUntil = async <T>(promise: Promise<T>): Promise<T> => {
    const watched = { isSettled: false };
    const onSettled = (): void => {
      watched.isSettled = true;
    };
    promise.then(onSettled, onSettled);
    await settle();
    while (!watched.isSettled) {
      if (await advanceToNext()) continue;
      throw new Error(`The promise has not settled at ${time} ms, and no timer is left`);
    }
    return promise;
  };

  return {
    now: () => time,
    timer,
    advance: (ms) => advanceTo(time + ms),
    advanceToNext,
    runUntil,
    pending: () => timers.size,
  };
}

/** One round lets every promise callback run; the second one runs callbacks deferred to another immediate. */
async function settle(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
