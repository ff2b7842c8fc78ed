/** Limits how often events are drawn. */
import type { Clock } from "@capstan/core";

const frameMs = 1_000 / 30;

export class Pacer {
  readonly #draw: () => void;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #drawnAt = -Infinity;

  constructor(draw: () => void, clock: Clock) {
    this.#draw = draw;
    this.#clock = clock;
  }

  /** Draws at once if the last frame is old enough, else as soon as it is. Requests in between are one frame. */
  request(): void {
    if (this.#cancel !== undefined) return;
    const waitMs = Math.max(0, this.#drawnAt + frameMs - this.#clock.now());
    this.#cancel = this.#clock.timer(waitMs, () => {
      this.#cancel = undefined;
      this.#drawnAt = this.#clock.now();
      this.#draw();
    });
  }

  stop(): void {
    this.#cancel?.();
    // No further request is taken.
    this.#cancel = () => {};
  }
}
