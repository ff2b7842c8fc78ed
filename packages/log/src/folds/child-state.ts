/** One child session, as the log of its parent tells about it. */
import type { PendingCall } from "@capstan/kernel";
import type { BudgetSlice, ChildReport, EntryOf } from "../entries/entries.ts";
import type { TurnFold, TurnOrigin } from "./turn-fold.ts";

/** State of one child session, as its parent's log has it. */
export interface Child extends Pick<EntryOf<"child_started">, "toolCallId" | "childId" | "agent"> {
  /** Whether the call does not wait for the child, and its result becomes a message. */
  readonly isBackground: boolean;
  /** Whether it works in the background, or waits there. */
  readonly isOpenInBackground: boolean;
  /** Number of reports that counted. */
  readonly reports: number;
  /** Seq of the child's log at the last of them. */
  readonly childSeq: number;
  readonly lastReport: ChildReport | undefined;
  /** Whether the child no longer works on the call, as recorded. */
  readonly isEnded: boolean;
  readonly outcome: EntryOf<"child_ended">["outcome"] | undefined;
  /** Whether the call has its result. */
  readonly isCallOver: boolean;
  /** Whether the call that started a child in the background failed, or no longer exists: the child is stopped, and its result dropped. */
  readonly isCut: boolean;
  /** Whether readers do not know yet what waits in a child in the background, or that it works again. */
  readonly isUnnoted: boolean;
  /** Slice of the budgets that it started with; undefined if there was none. */
  readonly budget: BudgetSlice | undefined;
  /** Amounts that it may use in total, or has used, if that is more. */
  readonly reserved: BudgetSlice;
  /** Whether it asks for more and has no answer. */
  readonly isAsking: boolean;
  /** Last answer to a report that asked for more. */
  readonly granted: EntryOf<"child_granted"> | undefined;
  /** Chain of turns that started it. */
  readonly chainId: string | undefined;
  /** Seq of the entry that started it. */
  readonly startSeq: number;
  /** Seq of the entry that ended it. */
  readonly endSeq: number | undefined;
}

/** Values of the turn that started a child in the background, for the turn that its result starts. */
export type ChildOrigin = Pick<TurnOrigin, "app" | "trace" | "call">;

/** Usage and cost of a child that has ended. */
export type Spent = Pick<Extract<ChildReport, { readonly type: "ended" }>, "usage" | "cost">;

/** @internal State in a checkpoint. JSON has no `Infinity`. */
export interface SavedChild {
  readonly started: Pick<
    EntryOf<"child_started">,
    "toolCallId" | "childId" | "agent" | "mode" | "budget" | "seq"
  >;
  readonly origin: ChildOrigin;
  readonly chainId: string | undefined;
  readonly endSeq: number | undefined;
  readonly granted: EntryOf<"child_granted"> | undefined;
  readonly reports: number;
  readonly childSeq: number;
  readonly lastReport: ChildReport | undefined;
  readonly outcome: EntryOf<"child_ended">["outcome"] | undefined;
  readonly isCallOver: boolean;
  readonly isCut: boolean;
  readonly resultId: string | undefined;
  readonly reportId: string;
  readonly isCounted: boolean;
  readonly isSilenced: boolean;
  readonly deadlineAt: number | null;
  readonly leftMs: number | null | undefined;
  readonly notedSeq: number;
  readonly isNotedWaiting: boolean;
}

export class ChildState implements Child {
  readonly toolCallId: string;
  readonly childId: string;
  readonly agent: string;
  readonly isBackground: boolean;
  readonly origin: ChildOrigin;
  readonly chainId: string | undefined;
  readonly budget: BudgetSlice | undefined;
  readonly startSeq: number;
  /** State of this child at its previous call. */
  readonly before: ChildState | undefined;
  endSeq: number | undefined;
  granted: EntryOf<"child_granted"> | undefined;
  reports = 0;
  childSeq = 0;
  lastReport: ChildReport | undefined;
  outcome: EntryOf<"child_ended">["outcome"] | undefined;
  isCallOver = false;
  isCut = false;
  /** Id of the message with the result of a child in the background, once it is queued. */
  resultId: string | undefined;
  #reportId = "";
  /** Whether its usage is counted. */
  isCounted = false;
  #isSilenced = false;
  /** Time at which a child in the background must be stopped; `Infinity` while it waits. */
  #deadlineAt: number;
  /** Time that is left, while it waits. */
  #leftMs: number | undefined;
  /** `childSeq` of the report that `child_waiting` recorded last, and whether calls were pending in it. */
  #notedSeq = 0;
  #isNotedWaiting = false;

  constructor(
    entry: EntryOf<"child_started">,
    turn: TurnFold | undefined,
    before: ChildState | undefined,
  ) {
    this.before = before;
    this.toolCallId = entry.toolCallId;
    this.childId = entry.childId;
    this.agent = entry.agent;
    this.isBackground = entry.mode === "background";
    this.#deadlineAt = this.isBackground ? entry.at + (entry.timeoutMs ?? Infinity) : Infinity;
    this.origin = turn?.origin ?? {};
    this.chainId = turn?.rootId;
    this.budget = entry.budget;
    this.startSeq = entry.seq;
  }

  /** @internal Takes over the state of a checkpoint. */
  static load(saved: SavedChild, before: ChildState | undefined): ChildState {
    const { started, origin, chainId, deadlineAt, leftMs } = saved;
    // The other fields of the entry are its envelope, and the time that is left.
    const child = new ChildState(started as EntryOf<"child_started">, undefined, before);
    const { endSeq, granted, reports, childSeq, lastReport, outcome } = saved;
    const { isCallOver, isCut, resultId, isCounted } = saved;
    Object.assign(child, { origin, chainId, endSeq, granted, reports, childSeq, lastReport });
    Object.assign(child, { outcome, isCallOver, isCut, resultId, isCounted });
    child.#reportId = saved.reportId;
    child.#isSilenced = saved.isSilenced;
    child.#deadlineAt = deadlineAt ?? Infinity;
    child.#leftMs = leftMs === null ? Infinity : leftMs;
    child.#notedSeq = saved.notedSeq;
    child.#isNotedWaiting = saved.isNotedWaiting;
    return child;
  }

  /** @internal State for a checkpoint. */
  save(): SavedChild {
    const { toolCallId, childId, agent, isBackground, budget, startSeq: seq } = this;
    const { endSeq, granted, reports, childSeq, lastReport, outcome } = this;
    const { origin, chainId, isCallOver, isCut, resultId, isCounted } = this;
    return {
      started: {
        toolCallId,
        childId,
        agent,
        seq,
        ...(isBackground && { mode: "background" }),
        ...(budget !== undefined && { budget }),
      },
      origin: { ...origin },
      chainId,
      endSeq,
      granted,
      reports,
      childSeq,
      lastReport,
      outcome,
      isCallOver,
      isCut,
      resultId,
      reportId: this.#reportId,
      isCounted,
      isSilenced: this.#isSilenced,
      deadlineAt: finiteOrNull(this.#deadlineAt),
      leftMs: this.#leftMs === undefined ? undefined : finiteOrNull(this.#leftMs),
      notedSeq: this.#notedSeq,
      isNotedWaiting: this.#isNotedWaiting,
    };
  }

  get reserved(): BudgetSlice {
    const { tokens, cost } = this.granted?.budget ?? this.budget ?? {};
    const used = this.lastReport?.type === "asking" ? this.lastReport.used : {};
    return {
      ...(tokens !== undefined && { tokens: Math.max(tokens, used.tokens ?? 0) }),
      ...(cost !== undefined && { cost: Math.max(cost, used.cost ?? 0) }),
    };
  }

  get isAsking(): boolean {
    const answered = this.granted?.childSeq ?? 0;
    return this.lastReport?.type === "asking" && this.childSeq > answered;
  }

  grant(entry: EntryOf<"child_granted">): void {
    this.granted = entry;
  }

  get isEnded(): boolean {
    return this.outcome !== undefined;
  }

  get isOpenInBackground(): boolean {
    return this.isBackground && !this.isEnded && !this.isCut && this.lastReport?.type !== "ended";
  }

  /** Time at which it must be stopped. */
  get deadlineAt(): number {
    return this.isOpenInBackground ? this.#deadlineAt : Infinity;
  }

  /** Calls that wait in it. Those of an awaited child are questions of its call. */
  get pending(): readonly PendingCall[] {
    const { lastReport } = this;
    return this.isOpenInBackground && lastReport?.type === "waiting" ? lastReport.pending : none;
  }

  /** Takes a report, unless a newer one came first. Returns whether it counts. */
  report({ id, at, childId, childSeq, report }: EntryOf<"child_reported">): boolean {
    if (this.childId !== childId || this.childSeq >= childSeq) return false;
    this.childSeq = childSeq;
    this.lastReport = report;
    this.reports += 1;
    this.#reportId = id;
    this.#keepTime(report, at);
    return true;
  }

  #keepTime({ type }: ChildReport, at: number): void {
    if (type === "waiting" && this.#leftMs === undefined) {
      this.#leftMs = this.#deadlineAt - at;
      this.#deadlineAt = Infinity;
    } else if (type !== "waiting" && this.#leftMs !== undefined) {
      this.#deadlineAt = at + this.#leftMs;
      this.#leftMs = undefined;
    }
  }

  /** Whether an entry about it is to be written at this time: it has ended, must be stopped, or waits, or no longer does. */
  isDue(now: number): boolean {
    if (this.isEnded) return false;
    if (!this.isBackground) return this.isCallOver;
    if (this.isCut) return true;
    if (!this.isCallOver) return false;
    return (
      this.lastReport?.type === "ended" ||
      this.#deadlineAt <= now ||
      this.isUnnoted ||
      this.isAsking
    );
  }

  get isUnnoted(): boolean {
    if (this.childSeq <= this.#notedSeq || !this.isOpenInBackground) return false;
    return this.lastReport?.type === "waiting" || this.#isNotedWaiting;
  }

  note({ childSeq, pending }: EntryOf<"child_waiting">): void {
    this.#notedSeq = childSeq;
    this.#isNotedWaiting = pending.length > 0;
  }

  end({ seq, outcome, reason }: EntryOf<"child_ended">): void {
    this.outcome ??= outcome;
    this.endSeq ??= seq;
    // The caller that stopped it does not want its result.
    if (outcome === "stopped" && reason === undefined) this.#isSilenced = true;
  }

  /** The call has its result. `isCounted`: the result has the usage of the child. */
  settleCall(isCounted: boolean, isFailed: boolean): void {
    this.isCallOver = true;
    this.isCounted ||= isCounted;
    if (this.isBackground && isFailed) this.isCut = true;
  }

  /** Whether its result is not wanted. */
  get isDropped(): boolean {
    return this.isCut || this.#isSilenced;
  }

  /** Id and result of a child in the background that has ended, for a message; once. */
  takeResult():
    | { readonly id: string; readonly report: Extract<ChildReport, { readonly type: "ended" }> }
    | undefined {
    if (!this.isBackground || !this.isCallOver || this.isDropped) return undefined;
    if (this.resultId !== undefined || this.lastReport?.type !== "ended") return undefined;
    this.resultId = this.#reportId;
    return { id: this.resultId, report: this.lastReport };
  }

  /** Usage of a child that has ended, and whose call got its result without it; once. */
  takeUncounted(): Spent | undefined {
    if (this.lastReport?.type !== "ended" || !this.isCallOver || this.isCounted) return undefined;
    this.isCounted = true;
    return this.lastReport;
  }
}

const none: readonly PendingCall[] = [];

function finiteOrNull(value: number): number | null {
  return value === Infinity ? null : value;
}
