/** Text of a child as progress of its parent's call: deltas that arrive within a moment are shown as one. */
import type { SessionEvent } from "@capstan/log";
import type { Clock } from "../platform/clock.ts";

/** Deltas that are joined at a time: concatenating each of them would keep a node per delta alive, and a longer list would be copied as it grows. */
const joinedAtOnce = 64;

/** Readers of the child get every delta at once. Readers of its parent only need to see that it works. */
const flushMs = 50;

export class ChildProgress {
  readonly #timer: Clock["timer"];
  readonly #update: (delta: string) => void;
  #text = "";
  readonly #deltas: string[] = [];
  /** Number of deltas that are not joined yet. */
  #count = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(timer: Clock["timer"], update: (delta: string) => void) {
    this.#timer = timer;
    this.#update = update;
  }

  /** Listener of the child's events. A property, because a call for each delta of each child counts. */
  readonly take = (event: SessionEvent): void => {
    if (event.type !== "text_delta") return this.flush();
    this.#deltas[this.#count++] = event.delta;
    if (this.#count === joinedAtOnce) this.#join();
    this.#cancelTimer ??= this.#timer(flushMs, () => this.flush());
  };

  /** Shows the text that is still waiting. The caller must flush before the call ends: later output is dropped. */
  flush(): void {
    if (this.#cancelTimer === undefined) return;
    this.#cancelTimer();
    this.#cancelTimer = undefined;
    this.#join();
    const text = this.#text;
    this.#text = "";
    this.#update(text);
  }

  #join(): void {
    this.#deltas.length = this.#count;
    this.#count = 0;
    this.#text += this.#deltas.join("");
  }
}
