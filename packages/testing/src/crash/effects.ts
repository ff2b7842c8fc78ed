/** What the tools did to the world: it outlives every process. */

export interface Effect {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly key: string;
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

  of(toolCallId: string): readonly Effect[] {
    return this.#all.filter((effect) => effect.toolCallId === toolCallId);
  }
}
