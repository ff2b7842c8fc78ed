/** Decides when the context of a session is compacted: one at a time, and once for a request. */
import type { Room, SerializedError, TurnProgress, Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { MaybePromise, SessionFold } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { CompactionContext, CompactionSurroundings } from "./compact-context.ts";
import { compactContext, giveUpCompaction } from "./compact-context.ts";
import type { CompactionEnd } from "./compaction-end.ts";
import type { CompactionPlan } from "./compaction-options.ts";

/** How much the context has to grow, of the window, before it is tried again after one that failed or freed too little. */
const growthBeforeNext = 0.05;

export class Compactor {
  readonly #surroundings: CompactionSurroundings;
  #underWay: Promise<unknown> | undefined;
  #usage: Usage | undefined;

  constructor(surroundings: CompactionSurroundings) {
    this.#surroundings = surroundings;
  }

  /** Resolves when nothing is being recorded here any more; undefined if nothing is. */
  get underWay(): Promise<unknown> | undefined {
    return this.#underWay;
  }

  /** With what compactions of the turn under way have used: its loop does not know of it. */
  addTo(progress: TurnProgress): TurnProgress {
    if (this.#usage === undefined) return progress;
    return { ...progress, usage: addUsage(progress.usage, this.#usage) };
  }

  beginTurn(): void {
    this.#usage = undefined;
  }

  /** Before a request, or when the provider has called one too long. At once, and almost always, if there is room. */
  makeRoom(context: CompactionContext, overflow?: SerializedError): MaybePromise<Room> {
    const { compaction } = context.plan;
    if (compaction === undefined) return undefined;
    const { compactions, transcript } = this.#fold;
    const isTried = compactions.triedAtLength === transcript.length;
    if (overflow !== undefined) {
      if (!compaction.isAuto) return undefined;
      if (isTried) return "context-exhausted";
      return this.#makeRoom(context, compaction, "overflow");
    }
    const isFull = !isTried && this.#isTooFull(context.plan, compaction);
    if (isFull && this.#hasJustFailedToFree(context.plan, compaction)) return "context-exhausted";
    if (!isFull && !compactions.isWanted) return undefined;
    return this.#makeRoom(context, compaction, isFull ? "full" : "asked");
  }

  /** As it was asked for, between two turns. */
  async compactAtRest(context: CompactionContext, ids: readonly string[]): Promise<void> {
    const { compaction } = context.plan;
    const { compactions } = this.#fold;
    if (compaction === undefined) {
      await giveUpCompaction(this.#surroundings, context, ids, "failed");
      return;
    }
    const cancelled = ids.filter((id) => compactions.cancelReasonOf(id) !== undefined);
    if (cancelled.length > 0) {
      await giveUpCompaction(this.#surroundings, context, cancelled, "aborted");
    } else await this.#run(context, compaction);
  }

  get #fold(): SessionFold {
    return this.#surroundings.log.fold;
  }

  #isTooFull({ frame }: TurnPlan, { threshold, window = 0 }: CompactionPlan): boolean {
    const { size } = this.#surroundings;
    if (threshold === Infinity || !size.reaches(threshold, frame)) return false;
    const { failedAt } = this.#fold.compactions;
    return failedAt === undefined || size.reaches(failedAt + window * growthBeforeNext, frame);
  }

  /** Whatever was expected of the last one: another would free no more, unless much was said since. */
  #hasJustFailedToFree(
    { frame }: TurnPlan,
    { minFreedShare, window = 0 }: CompactionPlan,
  ): boolean {
    const { left } = this.#fold.compactions;
    if (left === undefined || left.share <= 1 - minFreedShare) return false;
    return !this.#surroundings.size.reaches(left.tokens + window * growthBeforeNext, frame);
  }

  async #makeRoom(
    context: CompactionContext,
    compaction: CompactionPlan,
    why: "asked" | "full" | "overflow",
  ): Promise<Room> {
    const end = await this.#run(context, compaction);
    if (end?.type !== "compaction") return why === "overflow" ? "context-exhausted" : undefined;
    const { before, after } = end;
    const isFreed = before - after >= before * compaction.minFreedShare;
    return isFreed || why === "asked" ? true : "context-exhausted";
  }

  /** Whoever ends the turn meanwhile waits for what is recorded here. */
  async #run(
    context: CompactionContext,
    compaction: CompactionPlan,
  ): Promise<CompactionEnd | undefined> {
    const compacted = compactContext(this.#surroundings, context, compaction);
    // Only its end is waited for there: a failure is thrown below.
    this.#underWay = compacted.catch(() => {});
    try {
      const end = await compacted;
      if (end?.usage !== undefined) this.#usage = addUsage(this.#usage ?? {}, end.usage);
      return end;
    } finally {
      this.#underWay = undefined;
    }
  }
}
