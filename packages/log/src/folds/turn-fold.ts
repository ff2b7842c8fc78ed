/** The turn that was started last, and the chain of turns that it continues. */
import type { AskedModel, PreparedStep, PriorProgress, StepTiming, Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { EntryOf, PostedBody, SessionConfig } from "../entries/entries.ts";

/** A step that has begun and not ended, as events show it, with its last attempt. */
export type StepUnderWay = { readonly step: number; readonly attempt: number } & (
  | { readonly state: "open"; readonly model?: string }
  /** The attempt has ended and left no message: it ends the turn, or it is void. */
  | { readonly state: "silent"; readonly usage?: Usage; readonly timing?: StepTiming }
  /** The attempt has ended, and calls or another attempt follow. The usage of a discarded attempt is not that of its step. */
  | { readonly state: "over"; readonly usage?: Usage; readonly timing?: StepTiming }
);

/** Separates the id of a chain's first turn from a turn's index in the chain. Reserved: no other turn id may contain it. */
export const chainMark = "__";

/** Values that a turn was sent with, besides its messages. */
export type TurnOrigin = Pick<
  Extract<PostedBody, { readonly type: "input" }>,
  "options" | "metadata" | "app" | "trace" | "call" | "budget"
>;

/** Values that a turn starts with, besides its entry. */
export interface TurnStart {
  readonly before: TurnFold | undefined;
  readonly config: SessionConfig;
  readonly origin: TurnOrigin;
}

/** @internal State in a checkpoint. */
export interface SavedTurn {
  readonly turnId: string;
  readonly rootId: string;
  readonly index: number;
  readonly continues: string | undefined;
  readonly startedAt: number;
  readonly config: SessionConfig;
  readonly origin: TurnOrigin;
  readonly chainStartedAt: number;
  readonly steps: number;
  readonly attempts: number;
  readonly attemptsInStep: number;
  readonly asked: AskedModel | undefined;
  readonly epoch: number | undefined;
  readonly resumes: number;
  readonly usage: Usage;
  readonly cost: number | undefined;
  readonly usageBefore: Usage;
  readonly costBefore: number | undefined;
  readonly end: EntryOf<"turn_ended"> | undefined;
  readonly underWay: StepUnderWay | undefined;
  readonly cancelReason: string | undefined;
  readonly abandonReason: string | undefined;
  readonly prepared: PreparedStep | undefined;
}

/** A turn, from its `turn_started` on. */
export class TurnFold {
  readonly turnId: string;
  /** Id of the first turn of the chain. */
  readonly rootId: string;
  /** Index of this turn in the chain, from 1 on. */
  readonly index: number;
  readonly continues: string | undefined;
  readonly startedAt: number;
  /** Configuration when the turn started: later changes apply to the next turn. */
  readonly config: SessionConfig;
  #chainStartedAt: number;
  #steps: number;
  #attempts: number;
  #attemptsInStep = 0;
  /** Model that was asked last in the chain, if the provider has a fallback. */
  #asked: AskedModel | undefined;
  #epoch: number | undefined;
  #resumes = 0;
  #usage: Usage = {};
  #cost: number | undefined;
  #usageBefore: Usage;
  #costBefore: number | undefined;
  #end: EntryOf<"turn_ended"> | undefined;
  #underWay: StepUnderWay | undefined;
  /** Reason of a cancel that names the chain; empty if none was given. */
  #cancelReason: string | undefined;
  #abandonReason: string | undefined;
  #origin: TurnOrigin;
  /** Choice for the step that was prepared last. */
  #prepared: PreparedStep | undefined;

  constructor(entry: EntryOf<"turn_started">, { before, config, origin }: TurnStart) {
    const parent = entry.continues === undefined ? undefined : before;
    this.turnId = entry.turnId;
    this.rootId = parent?.rootId ?? entry.turnId;
    this.index = (parent?.index ?? 0) + 1;
    this.continues = entry.continues;
    this.startedAt = entry.at;
    this.config = config;
    this.#origin = parent === undefined ? origin : parent.origin;
    this.#chainStartedAt = parent === undefined ? entry.at : parent.#chainStartedAt;
    this.#steps = parent === undefined ? 0 : parent.#steps;
    this.#attempts = parent === undefined ? 0 : parent.#attempts;
    this.#usageBefore = parent === undefined ? {} : addUsage(parent.#usageBefore, parent.#usage);
    this.#costBefore = parent?.chainCost;
    this.#cancelReason = parent?.cancelReason;
    this.#abandonReason = parent?.abandonReason;
    this.#asked = parent === undefined ? undefined : parent.#asked;
    this.#prepared = parent === undefined ? undefined : parent.#prepared;
    // The step in which the previous turn was suspended ends in this one.
    if (parent?.underWay !== undefined) this.#underWay = parent.underWay;
  }

  /** @internal Takes over the state of a checkpoint. */
  static load(saved: SavedTurn): TurnFold {
    const { turnId, rootId, index, continues, startedAt, config, origin } = saved;
    // The other fields of the entry are only its envelope.
    const entry = { turnId, at: startedAt } as EntryOf<"turn_started">;
    const turn = new TurnFold(entry, { before: undefined, config, origin });
    Object.assign(turn, { rootId, index, continues });
    turn.#chainStartedAt = saved.chainStartedAt;
    turn.#steps = saved.steps;
    turn.#attempts = saved.attempts;
    turn.#attemptsInStep = saved.attemptsInStep;
    turn.#asked = saved.asked;
    turn.#epoch = saved.epoch;
    turn.#resumes = saved.resumes;
    turn.#usage = saved.usage;
    turn.#cost = saved.cost;
    turn.#usageBefore = saved.usageBefore;
    turn.#costBefore = saved.costBefore;
    turn.#end = saved.end;
    turn.#underWay = saved.underWay;
    turn.#cancelReason = saved.cancelReason;
    turn.#abandonReason = saved.abandonReason;
    turn.#prepared = saved.prepared;
    return turn;
  }

  /** @internal State for a checkpoint. */
  save(): SavedTurn {
    const { turnId, rootId, index, continues, startedAt, config } = this;
    return {
      turnId,
      rootId,
      index,
      continues,
      startedAt,
      config,
      origin: this.#origin,
      chainStartedAt: this.#chainStartedAt,
      steps: this.#steps,
      attempts: this.#attempts,
      attemptsInStep: this.#attemptsInStep,
      asked: this.#asked,
      epoch: this.#epoch,
      resumes: this.#resumes,
      usage: this.#usage,
      cost: this.#cost,
      usageBefore: this.#usageBefore,
      costBefore: this.#costBefore,
      end: this.#end,
      underWay: this.#underWay,
      cancelReason: this.#cancelReason,
      abandonReason: this.#abandonReason,
      prepared: this.#prepared,
    };
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  get end(): EntryOf<"turn_ended"> | undefined {
    return this.#end;
  }

  get isSuspended(): boolean {
    return this.#end?.pending !== undefined;
  }

  /** Whether it runs, or another turn will continue it. */
  get isUnfinished(): boolean {
    return !this.isOver || this.isSuspended;
  }

  get underWay(): StepUnderWay | undefined {
    return this.#underWay;
  }

  /** Values that it was sent with, or those of the turn that it continues. */
  get origin(): TurnOrigin {
    return this.#origin;
  }

  get cancelReason(): string | undefined {
    return this.#cancelReason;
  }

  get isCancelled(): boolean {
    return this.#cancelReason !== undefined;
  }

  /** Reason why the chain was abandoned; empty if none was given, undefined if it was not. */
  get abandonReason(): string | undefined {
    return this.#abandonReason;
  }

  /** Whether the turn only continues to end. */
  get isStopped(): boolean {
    return this.isCancelled || this.#abandonReason !== undefined;
  }

  /** Usage of this turn alone, over all processes that ran it. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Recorded cost of this turn alone. */
  get cost(): number | undefined {
    return this.#cost;
  }

  /** Cost of this turn and of those that it continues. */
  get chainCost(): number | undefined {
    if (this.#cost === undefined) return this.#costBefore;
    return (this.#costBefore ?? 0) + this.#cost;
  }

  /** Progress of the chain, for a process that continues it. */
  prior(isResumed: boolean): PriorProgress {
    return {
      steps: this.#steps,
      attempts: this.#attempts,
      usage: addUsage(this.#usageBefore, this.#usage),
      startedAt: this.#chainStartedAt,
      isResumed,
      attemptsInStep: this.#attemptsInStep,
      ...(this.#asked && { asked: this.#asked }),
      ...(this.#prepared && { prepared: this.#prepared }),
    };
  }

  /** Id of the turn that would continue this one: identical in every process that starts it. */
  nextId(): string {
    return `${this.rootId}${chainMark}${this.index + 1}`;
  }

  isInChain(turnId: string): boolean {
    const end = turnId.indexOf(chainMark);
    return (end === -1 ? turnId : turnId.slice(0, end)) === this.rootId;
  }

  startAttempt({ step, attempt, model, modelIndex: index }: EntryOf<"attempt">): void {
    this.#asked = model === undefined || index === undefined ? undefined : { model, index };
    this.#attempts += 1;
    this.#attemptsInStep = attempt;
    const open = { step, attempt, state: "open" } as const;
    this.#underWay = model === undefined ? open : { ...open, model };
  }

  endAttempt({ outcome, usage, timing, error }: EntryOf<"attempt_ended">, isReply: boolean): void {
    const failedWith = outcome === "discarded" ? error?.code : undefined;
    if (failedWith !== undefined && this.#asked) this.#asked = { ...this.#asked, failedWith };
    if (this.#underWay === undefined) return;
    const { step, attempt } = this.#underWay;
    if (outcome === "discarded" || outcome === "rejected") return this.voidAttempt();
    this.#underWay = {
      step,
      attempt,
      state: isReply ? "over" : "silent",
      ...(usage !== undefined && { usage }),
      ...(timing !== undefined && { timing }),
    };
  }

  /** Epoch of the owner that resumed the turn last; undefined while its first owner runs it. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  resume({ epoch }: EntryOf<"turn_resumed">): void {
    this.#epoch = epoch;
    this.#resumes += 1;
  }

  /** Number of resumes since the turn last made progress. */
  get resumes(): number {
    return this.#resumes;
  }

  /** Records progress: some work of the turn is complete, and need not be repeated after a resume. */
  advance(): void {
    this.#resumes = 0;
  }

  /** Voids the last attempt: it was discarded, or its process ended in it, or before the end of a turn without a reply. */
  voidAttempt(): void {
    if (this.#underWay === undefined) return;
    const { step, attempt } = this.#underWay;
    this.#underWay = { step, attempt, state: "over" };
  }

  addReply(step: number): void {
    this.#steps = step;
    this.#attemptsInStep = 0;
  }

  endStep(): void {
    this.#underWay = undefined;
  }

  /** Ends the step without a reply: the next one has another number. */
  passStep(step: number): void {
    this.endStep();
    if (step > this.#steps) this.addReply(step);
  }

  prepare({ step, choice }: EntryOf<"step_prepared">): void {
    this.#prepared = { step, choice };
  }

  count(usage: Usage, cost?: number): void {
    this.#usage = addUsage(this.#usage, usage);
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  cancel(reason: string): void {
    this.#cancelReason ??= reason;
  }

  abandon(reason: string): void {
    this.#abandonReason ??= reason;
  }

  /** Changes the values for the turns that continue this one. */
  override(origin: TurnOrigin): void {
    this.#origin = { ...this.#origin, ...origin };
  }

  finish(entry: EntryOf<"turn_ended">): void {
    this.#end = entry;
    if (entry.pending === undefined) this.#underWay = undefined;
  }
}
