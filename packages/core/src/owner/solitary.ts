/** Lets the suspects of a host run one at a time: turns that were resumed repeatedly without progress. */
import type { AbortSwitch } from "./abort-switch.ts";

/**
 * One of them may be what kills the process each time. While it runs, the others are not resumed, so that the next crash does not count
 * against them.
 */
export class Solitary {
  #isTaken = false;
  #waiting: readonly (() => void)[] = [];

  /** Resolves when no other suspect runs, with a function to call when this one has ended; with undefined if it was aborted before. */
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
