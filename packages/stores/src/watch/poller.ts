/** Looks from time to time whether another process has written something, as long as somebody wants to know. */

const everyMs = 50;
/** At most so much of the time goes into looking: a twentieth. */
const restFactor = 20;

export class Poller {
  readonly #look: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** Whatever `look` throws is a look that found nothing. */
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
        // Wake-ups are hints. The store fails whoever reads or writes, with a reason.
      }
      if (this.#timer !== timer) return;
      this.#later(Math.max(everyMs, (performance.now() - startedAt) * restFactor));
    }, ms);
    this.#timer = timer;
    // Nobody's process lives on for the sake of hints.
    timer.unref();
  }
}
