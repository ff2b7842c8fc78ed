/** State of the context in the log: evicted outputs, a summary instead of the beginning, parts that a vendor rejects. */
import type { PartReference } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";

/** Replaces all messages up to `through`. */
export interface ContextSummary {
  /** Id of the message that shows it: identical wherever the log is copied to. */
  readonly id: string;
  readonly text: string;
  /** Id of the last message that it replaces. */
  readonly through: string;
}

/** Size of the context as the last provider reported it. */
export interface ReportedSize {
  /** Tokens of the request and its reply. */
  readonly tokens: number;
  /** Number of messages, including the reply. */
  readonly messageCount: number;
  readonly model: string | undefined;
}

/** A recorded change of the context. */
export interface ContextChange {
  readonly entry: EntryOf<
    "eviction" | "compaction" | "quarantine" | "input_rejected" | "handed_off"
  >;
  /** Index of the first message that is shown differently; Infinity if there is none. */
  readonly from: number;
  /** Number of messages when it was made. */
  readonly messageCount: number;
}

/** A change in how the message at `from` is shown, made when there were `messageCount` messages. */
interface Change {
  readonly from: number;
  readonly messageCount: number;
}

/** @internal State in a checkpoint. JSON has no `Infinity`. */
interface SavedChange {
  readonly from: number | null;
  readonly messageCount: number;
}

/** @internal State in a checkpoint. */
export interface SavedContext {
  readonly evicted: readonly string[];
  readonly summary: ContextSummary | undefined;
  readonly quarantined: readonly PartReference[];
  readonly rejected: readonly string[];
  readonly hidden: readonly string[];
  readonly changes: readonly SavedChange[];
  readonly recorded: readonly (SavedChange & Pick<ContextChange, "entry">)[];
  readonly version: number;
  readonly reported: ReportedSize | undefined;
}

/** Shared: most sessions leave nothing out. */
const none: ReadonlySet<string> = new Set();
const nothing: readonly never[] = [];

/** Changes of the context: the summary, evicted outputs, quarantined parts, and the size that the model reported. */
export class ContextFold {
  #evicted: ReadonlySet<string> = none;
  #summary: ContextSummary | undefined;
  #quarantined: readonly PartReference[] = nothing;
  #rejected: ReadonlySet<string> = none;
  #hidden: readonly string[] = nothing;
  #withheld: ReadonlySet<string> = none;
  #changes: readonly Change[] = nothing;
  #recorded: readonly ContextChange[] = nothing;
  #version = 0;
  #reported: ReportedSize | undefined;

  /** Ids of calls whose outputs are left out. */
  get evicted(): ReadonlySet<string> {
    return this.#evicted;
  }

  get summary(): ContextSummary | undefined {
    return this.#summary;
  }

  /** Parts of messages that a vendor rejects: requests no longer include them. */
  get quarantined(): readonly PartReference[] {
    return this.#quarantined;
  }

  /** Ids of messages that no model is shown: a guard rejected them, or the agent that handed the conversation over hid them. */
  get withheld(): ReadonlySet<string> {
    return this.#withheld;
  }

  /** True if what precedes this message is shown differently since it was written: a model's thinking is bound to what it was shown. */
  isAfterChange(index: number): boolean {
    return this.#changes.some(({ from, messageCount }) => index > from && index < messageCount);
  }

  /** Changes whenever earlier messages are shown differently. */
  get version(): number {
    return this.#version;
  }

  /** Undefined if no provider has reported it since the context last changed, other than by growing. */
  get reported(): ReportedSize | undefined {
    return this.#reported;
  }

  /** All changes that count, in order. */
  get recorded(): readonly ContextChange[] {
    return this.#recorded;
  }

  report({ usage, model }: EntryOf<"attempt_ended">, messageCount: number): void {
    if (usage?.inputTokens === undefined) return;
    const tokens = usage.inputTokens + (usage.outputTokens ?? 0);
    this.#reported = { tokens, messageCount, model };
  }

  forgetReport(): void {
    this.#reported = undefined;
  }

  apply(change: ContextChange): void {
    const { entry, from, messageCount } = change;
    this.#recorded = [...this.#recorded, change];
    switch (entry.type) {
      case "eviction":
        this.#evicted = new Set([...this.#evicted, ...entry.toolCallIds]);
        this.#changeFrom(from, messageCount);
        break;
      case "compaction": {
        const { summary: text, through } = entry;
        this.#summary = { id: `${through}_summary`, text, through };
        this.#changeFrom(-1, messageCount);
        break;
      }
      case "quarantine": {
        const { messageId, part } = entry;
        this.#quarantined = [...this.#quarantined, { messageId, part }];
        break;
      }
      case "input_rejected":
        this.#rejected = new Set([...this.#rejected, ...entry.messageIds]);
        this.#withhold();
        break;
      case "handed_off":
        this.#hidden = entry.hidden ?? [];
        this.#withhold();
        this.#changeFrom(from, messageCount);
        break;
      default:
        entry satisfies never;
    }
    this.#change();
  }

  #withhold(): void {
    this.#withheld = new Set([...this.#rejected, ...this.#hidden]);
  }

  /** Starts over with a new history: nothing here applies to it. */
  reset(): void {
    this.#evicted = none;
    this.#summary = undefined;
    this.#quarantined = nothing;
    this.#rejected = this.#withheld = none;
    this.#hidden = nothing;
    this.#changes = nothing;
    this.#recorded = nothing;
    this.#change();
  }

  /** @internal State for a checkpoint. */
  save(): SavedContext {
    return {
      evicted: [...this.#evicted],
      summary: this.#summary,
      quarantined: this.#quarantined,
      rejected: [...this.#rejected],
      hidden: this.#hidden,
      changes: this.#changes.map(toSaved),
      recorded: this.#recorded.map((change) => ({ entry: change.entry, ...toSaved(change) })),
      version: this.#version,
      reported: this.#reported,
    };
  }

  /** @internal Takes over the state of a checkpoint. */
  load(saved: SavedContext): void {
    if (saved.evicted.length > 0) this.#evicted = new Set(saved.evicted);
    this.#summary = saved.summary;
    this.#quarantined = saved.quarantined;
    if (saved.rejected.length > 0) this.#rejected = new Set(saved.rejected);
    this.#hidden = saved.hidden;
    this.#withhold();
    this.#changes = saved.changes.map(fromSaved);
    this.#recorded = saved.recorded.map((change) => ({
      entry: change.entry,
      ...fromSaved(change),
    }));
    this.#version = saved.version;
    const { reported } = saved;
    // JSON leaves out fields that are undefined.
    this.#reported = reported && { ...reported, model: reported.model };
  }

  /** Overlapping changes are merged, so that there are few. */
  #changeFrom(from: number, messageCount: number): void {
    const apart = this.#changes.filter((change) => change.messageCount <= from);
    const first = this.#changes.find((change) => change.messageCount > from)?.from ?? from;
    this.#changes = [...apart, { from: Math.min(from, first), messageCount }];
  }

  #change(): void {
    this.#version++;
    this.forgetReport();
  }
}

function toSaved({ from, messageCount }: Change): SavedChange {
  return { from: from === Infinity ? null : from, messageCount };
}

function fromSaved({ from, messageCount }: SavedChange): Change {
  return { from: from ?? Infinity, messageCount };
}
