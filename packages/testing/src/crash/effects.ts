/** Effects of tools on the world: they outlive every process. */
import type { JsonValue } from "@capstan/kernel";

export interface Effect {
  readonly sessionId: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly key: string;
  readonly input: JsonValue;
  readonly process: string;
  /** Whether the log had the call's intent when it happened. */
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
