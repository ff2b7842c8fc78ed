/** Time for all processes and the store: it moves from timer to timer, when nothing else is left to do. */
import type { Timer } from "@capstan/kernel";

interface ArmedTimer {
  readonly at: number;
  readonly fn: () => void;
}

export class SimulatedClock {
  #time = 1_000_000;
  // Timers that are due at the same time fire in insertion order.
  readonly #timers = new Set<ArmedTimer>();

  readonly now = (): number => this.#time;

  readonly timer: Timer = (ms, fn) => {
    const armed = { at: this.#time + Math.max(0, ms), fn };
    this.#timers.add(armed);
    return () => this.#timers.delete(armed);
  };

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.timer(ms, resolve);
    });
  }

  /** Advances to the next timer and fires it. False if there is none. */
  fireNext(): boolean {
    let next: ArmedTimer | undefined;
    for (const armed of this.#timers) if (next === undefined || armed.at < next.at) next = armed;
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#time = Math.max(this.#time, next.at);
    next.fn();
    return true;
  }
}
