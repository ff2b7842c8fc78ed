/** Connections that have gone silent. */
import { longestTimerMs } from "./pause.ts";

/** Watches for a connection that has gone silent. */
export class Silence {
  readonly #timer: ReturnType<typeof setInterval>;
  #bytes = 0;
  #frames = 0;

  /** `onDead`: not even a comment came. `onQuiet`: nothing but comments. */
  constructor(ms: number, onDead: () => void, onQuiet: () => void) {
    this.#timer = setInterval(
      () => {
        if (this.#bytes === 0) onDead();
        else if (this.#frames === 0) onQuiet();
        this.#bytes = 0;
        this.#frames = 0;
      },
      Math.min(ms, longestTimerMs),
    );
  }

  onBytes(): void {
    this.#bytes += 1;
  }

  onFrame(): void {
    this.#frames += 1;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
