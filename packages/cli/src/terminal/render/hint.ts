/** A text in the status line, for a moment. */
import type { Clock } from "@capstan/core";

const shownMs = 2_000;

export class Hint {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #cancel: () => void = () => {};
  #text: string | undefined;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get text(): string | undefined {
    return this.#text;
  }

  set(text: string): void {
    this.#cancel();
    this.#text = text;
    this.#cancel = this.#clock.timer(shownMs, () => {
      this.#text = undefined;
      this.#onChange();
    });
    this.#onChange();
  }

  stop(): void {
    this.#cancel();
  }
}
