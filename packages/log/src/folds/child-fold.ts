/** Child sessions of a session, by the calls that they work on. */
import type { ChildStep, PendingCall } from "@capstan/kernel";
import type { ChildReport, EntryOf } from "../entries/entries.ts";

export interface Child extends Pick<EntryOf<"child_started">, "toolCallId" | "childId" | "agent"> {
  /** Number of reports that counted. */
  readonly reports: number;
  readonly lastReport: ChildReport | undefined;
  /** Whether the child no longer works on the call, as recorded. */
  readonly isEnded: boolean;
  /** Whether the call has its result. */
  readonly isCallOver: boolean;
  /** Seq of the entry that started it. */
  readonly startSeq: number;
  /** Seq of the entry that ended it. */
  readonly endSeq: number | undefined;
}

interface ChildState extends Child {
  reports: number;
  lastReport: ChildReport | undefined;
  isEnded: boolean;
  isCallOver: boolean;
  endSeq: number | undefined;
  childSeq: number;
  /** Whether the usage of the child is counted. */
  isCounted: boolean;
}

/** Usage and cost of a child that has ended. */
export type Spent = Pick<Extract<ChildReport, { readonly type: "ended" }>, "usage" | "cost">;

export class ChildFold {
  /** Created with the first child: few sessions have any. */
  #byCall: Map<string, ChildState> | undefined;
  /** Number of children that have not ended. */
  #openCount = 0;

  find(toolCallId: string): Child | undefined {
    return this.#byCall?.get(toolCallId);
  }

  /** All children, in the order of their starts. */
  get all(): readonly Child[] {
    return [...(this.#byCall?.values() ?? [])];
  }

  /** Children that have not ended although their calls have their results: they must be stopped. */
  get toStop(): readonly Child[] {
    if (this.#openCount === 0) return none;
    return this.#states().filter(({ isEnded, isCallOver }) => isCallOver && !isEnded);
  }

  /** Seq of the child's log at which its last call before this one ended; 0 if this is its first. */
  workedBefore({ childId, startSeq }: Child): number {
    let last = 0;
    for (const other of this.#byCall?.values() ?? []) {
      const isBefore = other.childId === childId && other.startSeq < startSeq;
      if (isBefore) last = Math.max(last, other.childSeq);
    }
    return last;
  }

  start({ seq, toolCallId, childId, agent }: EntryOf<"child_started">): void {
    this.#openCount += 1;
    (this.#byCall ??= new Map()).set(toolCallId, {
      toolCallId,
      childId,
      agent,
      reports: 0,
      lastReport: undefined,
      isEnded: false,
      startSeq: seq,
      endSeq: undefined,
      childSeq: 0,
      isCallOver: false,
      isCounted: false,
    });
  }

  /** Takes a report, unless a newer one came first. Returns whether it counts. */
  report({ toolCallId, childId, childSeq, report }: EntryOf<"child_reported">): boolean {
    const child = this.#byCall?.get(toolCallId);
    if (child === undefined || child.childId !== childId) return false;
    if (child.childSeq >= childSeq) return false;
    child.childSeq = childSeq;
    child.lastReport = report;
    child.reports += 1;
    return true;
  }

  end({ seq, toolCallId }: EntryOf<"child_ended">): void {
    const child = this.#byCall?.get(toolCallId);
    if (child === undefined || child.isEnded) return;
    child.isEnded = true;
    child.endSeq = seq;
    this.#openCount -= 1;
  }

  /** The call has its result. `isCounted`: the result has the usage of the child. */
  settleCall(toolCallId: string, isCounted: boolean): void {
    const child = this.#byCall?.get(toolCallId);
    if (child === undefined) return;
    child.isCallOver = true;
    child.isCounted ||= isCounted;
  }

  /** Usage of a child that has ended, and whose call got its result without it; once. */
  takeUncounted(toolCallId: string): Spent | undefined {
    const child = this.#byCall?.get(toolCallId);
    if (child?.lastReport?.type !== "ended" || !child.isCallOver || child.isCounted)
      return undefined;
    child.isCounted = true;
    return child.lastReport;
  }

  /** No call is open any more. */
  settleCalls(): void {
    if (this.#openCount > 0) for (const child of this.#states()) child.isCallOver = true;
  }

  #states(): readonly ChildState[] {
    return [...(this.#byCall?.values() ?? [])];
  }
}

const none: readonly Child[] = [];

/** Pending calls of a child, as its parent shows them. */
export function pendingVia(child: ChildStep, pending: readonly PendingCall[]): PendingCall[] {
  return pending.map((call) => ({ ...call, via: [child, ...(call.via ?? [])] }));
}
