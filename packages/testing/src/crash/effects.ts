/** What the tools did to the world: it outlives every process. */
import type { JsonValue } from "@capstan/kernel";

export interface Effect {
  readonly sessionId: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly key: string;
  readonly input: JsonValue;
  readonly process: string;
  /** What the log said of the call when it happened. */
  readonly hadIntent: boolean;
  readonly wasApproved: boolean;
}

export class Effects {
  readonly #all: Effect[] = [];

  get all(): readonly Effect[] {
    return this.#all;
  }

  add(effect: Effect): void {
    this.#all.push(effect);
  }

  has(key: string): boolean {
    return this.#all.some((effect) => effect.key === key);
  }
}
