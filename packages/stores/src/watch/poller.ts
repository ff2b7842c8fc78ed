/** Polls for writes of other processes, as long as there are listeners. */

const everyMs = 50;
/** Limits polling to a twentieth of the time. */
const restFactor = 20;

export class Poller {
  readonly #look: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** A `look` that throws counts as one that found nothing. */
  constructor(look: () => void) {
    this.#look = look;
  }

  start(): void {
    if (this.#timer === undefined) this.#later(everyMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #later(ms: number): void {
    const timer = setTimeout(() => {
      const startedAt = performance.now();
      try {
        this.#look();
      } catch {
        // Wake-ups are hints. Calls that read or write report the store's failure, with a reason.
      }
      if (this.#timer !== timer) return;
      this.#later(Math.max(everyMs, (performance.now() - startedAt) * restFactor));
    }, ms);
    this.#timer = timer;
    // Hints must not keep a process alive.
    timer.unref();
  }
}
