/** Decides when to compact the context of a session: one compaction at a time, and once per request. */
import type { Room, SerializedError, TurnProgress, Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { MaybePromise, OwnedBody, SessionFold } from "@capstan/log";
import { andThen, isPromise } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { CompactionContext, CompactionSurroundings } from "./compact-context.ts";
import { compactContext, giveUpCompaction } from "./compact-context.ts";
import type { CompactionEnd } from "./compaction-end.ts";
import type { CompactionPlan } from "./compaction-options.ts";
import type { ContextSize } from "../context/token-count.ts";
import type { HeldLease } from "../owner/held-lease.ts";
import type { AppendChoices, SessionLog } from "../owner/session-log.ts";
import type { Clock } from "../platform/clock.ts";
import { within } from "../platform/within.ts";

/** Growth of the context, as a share of the window, before the next attempt after a compaction that failed or freed too little. */
const growthBeforeNext = 0.05;

export interface CompactorOptions extends Pick<
  CompactionSurroundings,
  "log" | "size" | "clock" | "emit"
> {
  readonly agent: Pick<Agent, "callbackMs">;
  readonly heldLease: HeldLease;
}

export class Compactor implements CompactionSurroundings {
  readonly #options: CompactorOptions;
  /** Owner of the session. */
  readonly #owner: Pick<CompactionSurroundings, "append">;
  #underWay: Promise<unknown> | undefined;
  #usage: Usage | undefined;

  constructor(options: CompactorOptions, owner: Pick<CompactionSurroundings, "append">) {
    this.#options = options;
    this.#owner = owner;
  }

  get log(): SessionLog {
    return this.#options.log;
  }

  get size(): ContextSize {
    return this.#options.size;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get emit(): CompactionSurroundings["emit"] {
    return this.#options.emit;
  }

  append(
    bodies: readonly OwnedBody[],
    choices: Omit<AppendChoices, "lease">,
  ): MaybePromise<"appended" | "conflict"> {
    const { clock, agent } = this.#options;
    const appended = this.#owner.append(bodies, choices);
    if (!isPromise(appended)) return appended;
    return within(clock.timer, agent.callbackMs, appended, "append");
  }

  confirmOwnership(): MaybePromise<void> {
    const { heldLease, log } = this.#options;
    return andThen(heldLease.confirm(log.now()), () => heldLease.check(log.now()));
  }

  /** Resolves once the current compaction is recorded; undefined if there is none. */
  get underWay(): Promise<unknown> | undefined {
    return this.#underWay;
  }

  /** Adds the usage of compactions in the current turn, which its loop does not count. */
  addTo(progress: TurnProgress): TurnProgress {
    if (this.#usage === undefined) return progress;
    return { ...progress, usage: addUsage(progress.usage, this.#usage) };
  }

  beginTurn(): void {
    this.#usage = undefined;
  }

  /** Called before a request, and after an overflow. Synchronous if there is room, which is almost always. */
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

  /** Runs requested compactions between two turns. */
  async compactAtRest(context: CompactionContext, ids: readonly string[]): Promise<void> {
    const { compaction } = context.plan;
    const { compactions } = this.#fold;
    if (compaction === undefined) {
      await giveUpCompaction(this, context, ids, "failed");
      return;
    }
    const cancelled = ids.filter((id) => compactions.cancelReasonOf(id) !== undefined);
    if (cancelled.length > 0) {
      await giveUpCompaction(this, context, cancelled, "aborted");
    } else await this.#run(context, compaction);
  }

  get #fold(): SessionFold {
    return this.log.fold;
  }

  #isTooFull({ frame }: TurnPlan, { threshold, window = 0 }: CompactionPlan): boolean {
    const { size } = this;
    if (threshold === Infinity || !size.reaches(threshold, frame)) return false;
    const { failedAt } = this.#fold.compactions;
    return failedAt === undefined || size.reaches(failedAt + window * growthBeforeNext, frame);
  }

  /** Whether the last compaction freed too little, and the context has hardly grown since: another one would free no more. */
  #hasJustFailedToFree(
    { frame }: TurnPlan,
    { minFreedShare, window = 0 }: CompactionPlan,
  ): boolean {
    const { left } = this.#fold.compactions;
    if (left === undefined || left.share <= 1 - minFreedShare) return false;
    return !this.size.reaches(left.tokens + window * growthBeforeNext, frame);
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

  /** If the turn ends in the meantime, its end waits for this record. */
  async #run(
    context: CompactionContext,
    compaction: CompactionPlan,
  ): Promise<CompactionEnd | undefined> {
    const compacted = compactContext(this, context, compaction);
    // Only its end matters there: a failure is thrown below.
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
