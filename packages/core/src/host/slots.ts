/** How much a host does at once of what it has claimed by itself. What callers ask for takes no slot. */

/** Held by a session from its claim to its rest. */
export interface Slot {
  /** While nothing is done for the session, another may be worked on. */
  pause(isPaused: boolean): void;
  /** `isDone`: nothing is left to do for the session. */
  free(isDone: boolean): void;
}

export class Slots {
  readonly #max: number;
  readonly #onFree: () => void;
  #taken = 0;

  /** `onFree` is called when a slot is free again. */
  constructor(max: number, onFree: () => void) {
    this.#max = max;
    this.#onFree = onFree;
  }

  get free(): number {
    return Math.max(0, this.#max - this.#taken);
  }

  take(): Slot {
    this.#taken += 1;
    let isTaken = true;
    let isOver = false;
    const leave = (): void => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
    };
    return {
      pause: (isPaused) => {
        if (isOver) return;
        if (isPaused) {
          leave();
          this.#onFree();
        } else if (!isTaken) {
          isTaken = true;
          this.#taken += 1;
        }
      },
      free: (isDone) => {
        isOver = true;
        leave();
        // A session that failed is due again at once: only the next poll looks for it.
        if (isDone) this.#onFree();
      },
    };
  }
}
