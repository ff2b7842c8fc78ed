/** What the log says about compactions: who asked for one, whether one is under way, what came of the last. */
import type { SerializedError, Usage } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";

/** Somebody wants the context compacted. */
export interface CompactRequest {
  readonly id: string;
  readonly directives?: string;
}

/** What came of a request. */
export type CompactionOutcome =
  | {
      readonly type: "compacted";
      readonly before: number;
      readonly after: number;
      readonly usage?: Usage;
      readonly cost?: number;
    }
  /** There was nothing to be summarized. */
  | { readonly type: "nothing"; readonly before: number }
  | { readonly type: "failed" | "aborted"; readonly error?: SerializedError };

const none: readonly CompactRequest[] = [];

export class CompactionFold {
  #waiting: readonly CompactRequest[] = none;
  #outcomes: Map<string, CompactionOutcome> | undefined;
  #cancelled: Map<string, string> | undefined;
  #isUnderWay = false;
  #triedBehind = -1;
  #failedAt: number | undefined;
  /** Tokens before the last one, and of the first request after it, as the provider has counted. */
  #before = 0;
  #measured: number | undefined;

  /** In the order in which they came. One compaction settles all of them. */
  get waiting(): readonly CompactRequest[] {
    return this.#waiting;
  }

  /** How many messages there were when it was tried last: for one request it is tried once. Negative where it never was. */
  get triedBehind(): number {
    return this.#triedBehind;
  }

  /** The tokens of the context when it failed last; undefined if it has succeeded since. */
  get failedAt(): number | undefined {
    return this.#failedAt;
  }

  /** Whether somebody waits who has not changed their mind. */
  get isWanted(): boolean {
    if (this.#waiting.length === 0) return false;
    return this.#waiting.some(({ id }) => this.cancelReasonOf(id) === undefined);
  }

  /** What the last one has left of the context, as the provider of the next request says; undefined where none has said so. */
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

  /** Why a request that waits was cancelled; empty where nobody said why, undefined where it was not. */
  cancelReasonOf(id: string): string | undefined {
    return this.#cancelled?.get(id);
  }

  request({ id, directives }: EntryOf<"compact">): void {
    this.#waiting = [...this.#waiting, { id, ...(directives !== undefined && { directives }) }];
  }

  /** False if no such request waits. */
  cancel(id: string, reason: string): boolean {
    if (!this.isWaiting(id)) return false;
    (this.#cancelled ??= new Map()).set(id, reason);
    return true;
  }

  start(): void {
    this.#isUnderWay = true;
  }

  /** Whoever was at it is gone. True if somebody was: nobody knows what it used. */
  interrupt(): boolean {
    const wasUnderWay = this.#isUnderWay;
    this.#isUnderWay = false;
    return wasUnderWay;
  }

  succeed(entry: EntryOf<"compaction">, messageCount: number): void {
    const { before, after, usage, cost, requests } = entry;
    this.#isUnderWay = false;
    this.#triedBehind = messageCount;
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
    const { reason, before, error, requests } = entry;
    this.#isUnderWay = false;
    if (reason === "failed") {
      this.#triedBehind = messageCount;
      this.#failedAt = before;
    }
    this.#settle(
      requests,
      reason === "nothing"
        ? { type: reason, before }
        : { type: reason, ...(error !== undefined && { error }) },
    );
  }

  /** A request was made, of so many tokens. */
  measure(inputTokens: number | undefined): void {
    if (this.#before > 0) this.#measured ??= inputTokens;
  }

  /** Another history: what was tried before says nothing about it. Who asked still waits. */
  reset(): void {
    this.#triedBehind = -1;
    this.#failedAt = undefined;
    this.#before = 0;
    this.#measured = undefined;
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
