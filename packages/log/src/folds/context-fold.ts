/** What the log says about what a model is shown: outputs that were evicted, a summary in the place of the beginning, parts that a vendor refuses. */
import type { PartReference } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";

/** In the place of all messages up to `through`. */
export interface ContextSummary {
  /** Of the message that it is shown as: the same wherever the log is copied to. */
  readonly id: string;
  readonly text: string;
  /** The id of the last message that it stands for. */
  readonly through: string;
}

/** How large the context was for the provider that was asked last. */
export interface ReportedSize {
  /** Of the request and its reply. */
  readonly tokens: number;
  /** How many messages there were with the reply. */
  readonly behind: number;
  readonly model: string | undefined;
}

/** What is shown of the message at `from` was changed when there were messages up to `behind`. */
interface Change {
  readonly from: number;
  readonly behind: number;
}

export class ContextFold {
  #evicted: ReadonlySet<string> = new Set();
  #summary: ContextSummary | undefined;
  #quarantined: readonly PartReference[] = [];
  #changes: readonly Change[] = [];
  #version = 0;
  #reported: ReportedSize | undefined;

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

  /** Whether what comes before this message is shown differently since it was made: a model's thoughts are bound to what it was shown. */
  isBehindChange(place: number): boolean {
    return this.#changes.some(({ from, behind }) => place > from && place < behind);
  }

  /** Another one whenever what was shown before is shown differently. */
  get version(): number {
    return this.#version;
  }

  /** Undefined where no provider has reported it since the context was changed in another way than by its growth. */
  get reported(): ReportedSize | undefined {
    return this.#reported;
  }

  report({ usage, model }: EntryOf<"attempt_ended">, messageCount: number): void {
    if (usage?.inputTokens === undefined) return;
    const tokens = usage.inputTokens + (usage.outputTokens ?? 0);
    this.#reported = { tokens, behind: messageCount, model };
  }

  forgetReport(): void {
    this.#reported = undefined;
  }

  /** `from` is the place of the first of them. */
  evict({ toolCallIds }: EntryOf<"eviction">, from: number, messageCount: number): void {
    this.#evicted = new Set([...this.#evicted, ...toolCallIds]);
    this.#changeFrom(from, messageCount);
    this.#change();
  }

  summarize({ summary: text, through }: EntryOf<"compaction">, messageCount: number): void {
    this.#summary = { id: `${through}_summary`, text, through };
    this.#changeFrom(-1, messageCount);
    this.#change();
  }

  quarantine({ messageId, part }: EntryOf<"quarantine">): void {
    this.#quarantined = [...this.#quarantined, { messageId, part }];
    this.#change();
  }

  /** Another history: nothing of this is about it. */
  reset(): void {
    this.#evicted = new Set();
    this.#summary = undefined;
    this.#quarantined = [];
    this.#changes = [];
    this.#change();
  }

  /** What one change and the one before it have in common is told once, so that there are few. */
  #changeFrom(from: number, behind: number): void {
    const apart = this.#changes.filter((change) => change.behind <= from);
    const first = this.#changes.find((change) => change.behind > from)?.from ?? from;
    this.#changes = [...apart, { from: Math.min(from, first), behind }];
  }

  #change(): void {
    this.#version++;
    this.forgetReport();
  }
}
