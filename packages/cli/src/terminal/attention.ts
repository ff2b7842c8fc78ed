/** Tells a user who may look elsewhere that a turn has ended or asks: title of the window, bell and notification. */
import type { Clock } from "@capstan/core";
import { toOneLine } from "../print/terminal-text.ts";
import type { Screen } from "./screen/contracts.ts";

/** After this time, the user may not look at the terminal any more. */
const longMs = 10_000;

export class Attention {
  readonly #clock: Clock;
  readonly #screen: () => Screen | undefined;
  #name = "capstan";
  #since: number | undefined;

  constructor(clock: Clock, screen: () => Screen | undefined) {
    this.#clock = clock;
    this.#screen = screen;
  }

  /** Milliseconds since the turn in progress began; undefined if there is none. */
  get workingMs(): number | undefined {
    return this.#since === undefined ? undefined : this.#clock.now() - this.#since;
  }

  /** Name in the title. */
  setName(name: string): void {
    this.#name = toOneLine(`capstan: ${name}`);
    this.#setTitle("");
  }

  begin(): void {
    this.#since = this.#clock.now();
    this.#setTitle("● ");
  }

  end(): void {
    const isLong = this.#isLong();
    this.#since = undefined;
    this.#setTitle(isLong ? "✓ " : "");
    if (isLong) this.#screen()?.notify("capstan is done");
  }

  ask(text: string): void {
    const isLong = this.#isLong();
    this.#since = undefined;
    this.#setTitle("? ");
    if (isLong) this.#screen()?.notify(toOneLine(text));
  }

  #isLong(): boolean {
    return (this.workingMs ?? 0) >= longMs;
  }

  #setTitle(mark: string): void {
    this.#screen()?.setTitle(`${mark}${this.#name}`);
  }
}
