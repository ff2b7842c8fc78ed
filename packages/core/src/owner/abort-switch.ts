/** Stops the turn that an owner runs: a lightweight abort signal, because every turn needs one. */
import type { AbortSource } from "@capstan/kernel";

const none: readonly never[] = [];

export class AbortSwitch implements AbortSource {
  #isAborted = false;
  #reason: unknown;
  #listeners: readonly (() => void)[] = none;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The first reason counts. */
  abort(reason?: string): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    // A spread would leave room for 17 items, and mostly there is one.
    this.#listeners = this.#listeners.concat(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }
}
