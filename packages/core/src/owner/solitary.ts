/** Lets one at a time of a host's suspects run: turns that were resumed again and again without getting further. */
import type { AbortSwitch } from "./abort-switch.ts";

/**
 * One of them may be what ends the process each time. While it runs, the others have not been resumed, so that its next end counts as
 * theirs no more.
 */
export class Solitary {
  #isTaken = false;
  #waiting: readonly (() => void)[] = [];

  /** Resolves when no other suspect runs, with how to say that this one does not any more; with undefined, if it was stopped before. */
  enter(abort: AbortSwitch): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      const begin = (): void => {
        this.#isTaken = true;
        resolve(this.#leaveOnce());
      };
      if (!this.#isTaken) return begin();
      this.#waiting = [...this.#waiting, begin];
      abort.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((other) => other !== begin);
        resolve(undefined);
      });
    });
  }

  #leaveOnce(): () => void {
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#isTaken = false;
      const [next, ...others] = this.#waiting;
      this.#waiting = others;
      next?.();
    };
  }
}
