/** Limits how many sessions a host works on that it claimed by itself. Work requested by callers takes no slot. */

/** Held by a session from its claim until its work has ended. */
export interface Slot {
  /** While the session is paused, another may use the slot. */
  pause(isPaused: boolean): void;
  /** `isDone`: the session has nothing left to do. */
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
        // A session that failed is due again at once: leave it to the next poll.
        if (isDone) this.#onFree();
      },
    };
  }
}
