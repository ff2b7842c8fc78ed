/** Compactions in the log: the requests, whether one is under way, and the outcome of the last. */
import type { SerializedError, Usage } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";

/** A request to compact the context. */
export interface CompactRequest {
  readonly id: string;
  readonly directives?: string;
}

/** Outcome of a request. */
export type CompactionOutcome =
  | {
      readonly type: "compacted";
      readonly before: number;
      readonly after: number;
      readonly usage?: Usage;
      readonly cost?: number;
    }
  /** There was nothing to summarize, or the summary was not shorter. */
  | {
      readonly type: "nothing";
      readonly before: number;
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | { readonly type: "failed" | "aborted"; readonly error?: SerializedError };

/** @internal State in a checkpoint. */
export interface SavedCompactions {
  readonly waiting: readonly CompactRequest[];
  readonly outcomes: readonly (readonly [string, CompactionOutcome])[];
  readonly cancelled: readonly (readonly [string, string])[];
  readonly isUnderWay: boolean;
  readonly triedAtLength: number;
  readonly failedAt: number | undefined;
  readonly before: number;
  readonly measured: number | undefined;
}

const none: readonly CompactRequest[] = [];

/** Requests for compaction, and what became of them. */
export class CompactionFold {
  #waiting: readonly CompactRequest[] = none;
  #outcomes: Map<string, CompactionOutcome> | undefined;
  #cancelled: Map<string, string> | undefined;
  #isUnderWay = false;
  #triedAtLength = -1;
  #failedAt: number | undefined;
  /** Tokens before the last compaction, and of the first request after it, as the provider has counted. */
  #before = 0;
  #measured: number | undefined;

  /** In order of arrival. One compaction answers all of them. */
  get waiting(): readonly CompactRequest[] {
    return this.#waiting;
  }

  /** Number of messages when a compaction was last tried: it is tried once per request. Negative if it was never tried. */
  get triedAtLength(): number {
    return this.#triedAtLength;
  }

  /** Tokens of the context at the last failure; undefined if a compaction has succeeded since. */
  get failedAt(): number | undefined {
    return this.#failedAt;
  }

  /** True if a request waits that was not cancelled. */
  get isWanted(): boolean {
    if (this.#waiting.length === 0) return false;
    return this.#waiting.some(({ id }) => this.cancelReasonOf(id) === undefined);
  }

  /** Context size after the last compaction, as the provider of the next request reports it; undefined if none has reported it. */
  get left(): { readonly tokens: number; readonly share: number } | undefined {
    const tokens = this.#measured;
    return tokens === undefined ? undefined : { tokens, share: tokens / this.#before };
  }

  isWaiting(id: string): boolean {
    return this.#waiting.some((request) => request.id === id);
  }

  outcomeOf(id: string): CompactionOutcome | undefined {
    return this.#outcomes?.get(id);
  }

  /** Reason why a waiting request was cancelled; empty if none was given, undefined if it was not cancelled. */
  cancelReasonOf(id: string): string | undefined {
    return this.#cancelled?.get(id);
  }

  request({ id, directives }: EntryOf<"compact">): void {
    this.#waiting = [...this.#waiting, { id, ...(directives !== undefined && { directives }) }];
  }

  /** Returns false if no such request is waiting. */
  cancel(id: string, reason: string): boolean {
    if (!this.isWaiting(id)) return false;
    (this.#cancelled ??= new Map()).set(id, reason);
    return true;
  }

  start(): void {
    this.#isUnderWay = true;
  }

  /** Marks the compaction as lost with its process. Returns true if one was under way: its usage is unknown. */
  interrupt(): boolean {
    const wasUnderWay = this.#isUnderWay;
    this.#isUnderWay = false;
    return wasUnderWay;
  }

  succeed(entry: EntryOf<"compaction">, messageCount: number): void {
    const { before, after, usage, cost, requests } = entry;
    this.#isUnderWay = false;
    this.#triedAtLength = messageCount;
    this.#failedAt = undefined;
    this.#before = before;
    this.#measured = undefined;
    this.#settle(requests, {
      type: "compacted",
      before,
      after,
      ...(usage !== undefined && { usage }),
      ...(cost !== undefined && { cost }),
    });
  }

  fail(entry: EntryOf<"compaction_failed">, messageCount: number): void {
    const { reason, before, error, usage, cost, requests } = entry;
    this.#isUnderWay = false;
    if (reason === "failed") {
      this.#triedAtLength = messageCount;
      this.#failedAt = before;
    }
    this.#settle(
      requests,
      reason === "nothing"
        ? {
            type: reason,
            before,
            ...(usage !== undefined && { usage }),
            ...(cost !== undefined && { cost }),
          }
        : { type: reason, ...(error !== undefined && { error }) },
    );
  }

  /** Records the tokens of a request. */
  measure(inputTokens: number | undefined): void {
    if (this.#before > 0) this.#measured ??= inputTokens;
  }

  /** Starts over with a new history: earlier attempts do not apply to it. Requests still wait. */
  reset(): void {
    this.#triedAtLength = -1;
    this.#failedAt = undefined;
    this.#before = 0;
    this.#measured = undefined;
  }

  /** @internal State for a checkpoint. */
  save(): SavedCompactions {
    return {
      waiting: this.#waiting,
      outcomes: [...(this.#outcomes ?? [])],
      cancelled: [...(this.#cancelled ?? [])],
      isUnderWay: this.#isUnderWay,
      triedAtLength: this.#triedAtLength,
      failedAt: this.#failedAt,
      before: this.#before,
      measured: this.#measured,
    };
  }

  /** @internal Takes over the state of a checkpoint. */
  load(saved: SavedCompactions): void {
    this.#waiting = saved.waiting;
    if (saved.outcomes.length > 0) this.#outcomes = new Map(saved.outcomes);
    if (saved.cancelled.length > 0) this.#cancelled = new Map(saved.cancelled);
    this.#isUnderWay = saved.isUnderWay;
    this.#triedAtLength = saved.triedAtLength;
    this.#failedAt = saved.failedAt;
    this.#before = saved.before;
    this.#measured = saved.measured;
  }

  #settle(ids: readonly string[] = [], outcome: CompactionOutcome): void {
    if (ids.length === 0) return;
    const outcomes = (this.#outcomes ??= new Map());
    for (const id of ids) {
      if (!this.isWaiting(id)) continue;
      outcomes.set(id, outcome);
      this.#cancelled?.delete(id);
    }
    this.#waiting = this.#waiting.filter(({ id }) => !ids.includes(id));
  }
}
