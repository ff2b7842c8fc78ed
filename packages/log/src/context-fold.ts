/** What the log says about what a model is shown: outputs that were evicted, a summary in the place of the beginning, parts that a vendor refuses. */
import type { PartReference } from "@capstan/kernel";
import type { EntryOf } from "./entries.ts";

/** In the place of all messages up to `through`. */
export interface ContextSummary {
  /** Of the entry. */
  readonly id: string;
  readonly text: string;
  /** The id of the last message that it stands for. */
  readonly through: string;
}

export class ContextFold {
  #evicted: ReadonlySet<string> = new Set();
  #summary: ContextSummary | undefined;
  #quarantined: readonly PartReference[] = [];
  #evictedBehind = 0;
  #summarizedBehind = 0;
  #version = 0;

  /** The calls whose outputs are left out. */
  get evicted(): ReadonlySet<string> {
    return this.#evicted;
  }

  get summary(): ContextSummary | undefined {
    return this.#summary;
  }

  /** Parts of messages that a vendor would not take: no request has them any more. */
  get quarantined(): readonly PartReference[] {
    return this.#quarantined;
  }

  /** How many messages there were when something was evicted last. */
  get evictedBehind(): number {
    return this.#evictedBehind;
  }

  /** The same for the summary. */
  get summarizedBehind(): number {
    return this.#summarizedBehind;
  }

  /** Another one whenever what was shown before is shown differently. */
  get version(): number {
    return this.#version;
  }

  evict({ toolCallIds }: EntryOf<"eviction">, messageCount: number): void {
    this.#evicted = new Set([...this.#evicted, ...toolCallIds]);
    this.#evictedBehind = messageCount;
    this.#version++;
  }

  summarize({ id, summary: text, through }: EntryOf<"compaction">, messageCount: number): void {
    this.#summary = { id, text, through };
    this.#summarizedBehind = messageCount;
    this.#version++;
  }

  quarantine({ messageId, part }: EntryOf<"quarantine">): void {
    this.#quarantined = [...this.#quarantined, { messageId, part }];
    this.#version++;
  }

  /** Another history: nothing of this is about it. */
  reset(): void {
    this.#evicted = new Set();
    this.#summary = undefined;
    this.#quarantined = [];
    this.#evictedBehind = 0;
    this.#summarizedBehind = 0;
    this.#version++;
  }
}
