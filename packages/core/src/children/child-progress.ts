/** Text of a child as progress of its parent's call: deltas that arrive within a moment are shown as one. */
import type { SessionEvent } from "@capstan/log";
import type { Clock } from "../platform/clock.ts";

/** Readers of the child get every delta at once. Readers of its parent only need to see that it works. */
const flushMs = 50;

export class ChildProgress {
  readonly #timer: Clock["timer"];
  readonly #update: (delta: string) => void;
  /** A list, because concatenating each delta would keep a node per delta alive. */
  #deltas: string[] = [];
  #cancelTimer: (() => void) | undefined;

  constructor(timer: Clock["timer"], update: (delta: string) => void) {
    this.#timer = timer;
    this.#update = update;
  }

  /** Listener of the child's events. A property, because a call for each delta of each child counts. */
  readonly take = (event: SessionEvent): void => {
    if (event.type !== "text_delta") return this.flush();
    this.#deltas.push(event.delta);
    this.#cancelTimer ??= this.#timer(flushMs, () => this.flush());
  };

  /** Shows the text that is still waiting. The caller must flush before the call ends: later output is dropped. */
  flush(): void {
    if (this.#deltas.length === 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const text = this.#deltas.join("");
    this.#deltas = [];
    this.#update(text);
  }
}
