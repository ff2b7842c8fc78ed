/** Child sessions of a session, by the calls that they work on. */
import type { ChildStep, PendingCall } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";
import type { Child, SavedChild } from "./child-state.ts";
import { ChildState } from "./child-state.ts";
import type { TurnFold } from "./turn-fold.ts";

/** Amounts that children may still use. */
export interface Reserved {
  readonly tokens: number;
  readonly cost: number;
}

const nothing: Reserved = { tokens: 0, cost: 0 };

/** @internal State in a checkpoint. */
export interface SavedChildren {
  readonly states: readonly SavedChild[];
}

export class ChildFold {
  /** Created with the first child: few sessions have any. */
  #byCall: Map<string, ChildState> | undefined;
  /** Last state of each child, by its id. */
  #byId: Map<string, ChildState> | undefined;
  /** In the order of their starts. */
  #states: readonly ChildState[] = noStates;
  /** Number of children that have not ended. */
  #openCount = 0;
  readonly #news: string[] = [];

  find(toolCallId: string): Child | undefined {
    return this.#byCall?.get(toolCallId);
  }

  /** Likewise, to change it. */
  state(toolCallId: string): ChildState | undefined {
    return this.#byCall?.get(toolCallId);
  }

  /** Whether none works or waits, or has used something of the budgets that is not counted yet. */
  get isAtRest(): boolean {
    if (this.#openCount > 0) return false;
    const { tokens, cost } = this.#reserved(() => true);
    return tokens === 0 && cost === 0;
  }

  /** All children, in the order of their starts. */
  get all(): readonly Child[] {
    return this.#states;
  }

  /** Call of each report of a child, and of each call that a child works on when it is over: it only grows, so that a reader need not look at all children. */
  get news(): readonly string[] {
    return this.#news;
  }

  /** Called when there is news of the child that works on this call. */
  noteNews(toolCallId: string): void {
    this.#news.push(toolCallId);
  }

  /** Children about which an entry is to be written at this time: they have ended, must be stopped, wait, or work again. */
  due(now: number): readonly Child[] {
    if (this.#openCount === 0) return none;
    return this.#states.filter((child) => child.isDue(now));
  }

  /** Seq of the child's log at which its last call before this one ended; 0 if this is its first. */
  workedBefore({ toolCallId }: Child): number {
    let last = 0;
    let other = this.#byCall?.get(toolCallId)?.before;
    for (; other !== undefined; other = other.before) last = Math.max(last, other.childSeq);
    return last;
  }

  /** Whether the child works on a call in the background, or waits there. */
  isOpenInBackground(childId: string): boolean {
    let child = this.#byId?.get(childId);
    while (child?.isOpenInBackground === false) child = child.before;
    return child !== undefined;
  }

  /** Time at which the first child in the background runs out of time; `Infinity` if none does. */
  get deadlineAt(): number {
    if (this.#openCount === 0) return Infinity;
    return Math.min(...this.#states.map(({ deadlineAt }) => deadlineAt));
  }

  /** These calls, and those that wait in children in the background. */
  withPending(own: readonly PendingCall[]): readonly PendingCall[] {
    if (this.#openCount === 0) return own;
    const others = this.#states.flatMap(({ agent, childId, toolCallId, pending }) =>
      pendingVia({ agent, sessionId: childId, toolCallId }, pending),
    );
    return others.length === 0 ? own : [...own, ...others];
  }

  /** Whether a child works in the background and does not wait for an answer: its result will start a turn. */
  get isWorking(): boolean {
    if (this.#openCount === 0) return false;
    return this.#states.some(
      ({ isOpenInBackground, pending }) => isOpenInBackground && pending.length === 0,
    );
  }

  /** Whether children in the background have not ended that were started for this call of the session's own parent. */
  hasOpenFor(call: string): boolean {
    if (this.#openCount === 0) return false;
    return this.#states.some(
      ({ isOpenInBackground, origin }) => isOpenInBackground && origin.call === call,
    );
  }

  /** Whether a child has asked for more of the budgets. */
  get hasAsked(): boolean {
    if (this.#openCount === 0) return false;
    return this.#states.some(({ lastReport }) => lastReport?.type === "asking");
  }

  start(entry: EntryOf<"child_started">, turn: TurnFold | undefined): void {
    this.#openCount += 1;
    this.#add(new ChildState(entry, turn, this.#byId?.get(entry.childId)));
  }

  /** Slices of children whose usage is not counted yet, and that this chain of turns has started. */
  reservedIn(chainId: string | undefined): Reserved {
    return this.#reserved((child) => child.chainId === chainId);
  }

  /** Likewise, for children that were started for this call of the session's own parent. */
  reservedFor(call: string): Reserved {
    return this.#reserved(({ origin }) => origin.call === call);
  }

  #reserved(isOne: (child: ChildState) => boolean): Reserved {
    if (this.#states.length === 0) return nothing;
    let [tokens, cost] = [0, 0];
    for (const child of this.#states) {
      if (child.isCounted || !isOne(child)) continue;
      tokens += child.reserved.tokens ?? 0;
      cost += child.reserved.cost ?? 0;
    }
    return { tokens, cost };
  }

  end(entry: EntryOf<"child_ended">): void {
    const child = this.#byCall?.get(entry.toolCallId);
    if (child === undefined) return;
    if (!child.isEnded) this.#openCount -= 1;
    child.end(entry);
  }

  /** Cuts children whose calls are not kept. Returns the ids of their results, which are no longer wanted. */
  cut(isKept: (toolCallId: string) => boolean): readonly string[] {
    return this.#cut(({ toolCallId, isBackground }) => !isBackground || !isKept(toolCallId));
  }

  /** Likewise, for children in the background that were started for this call of the session's own parent. */
  cutFor(call: string): readonly string[] {
    return this.#cut(({ isBackground, origin }) => isBackground && origin.call === call);
  }

  #cut(isOne: (child: ChildState) => boolean): readonly string[] {
    return this.#states.flatMap((child) => {
      if (!isOne(child)) return [];
      this.noteNews(child.toolCallId);
      child.isCallOver = true;
      child.isCut = child.isBackground;
      return child.resultId ?? [];
    });
  }

  /** @internal State for a checkpoint. */
  save(): SavedChildren {
    return { states: this.#states.map((child) => child.save()) };
  }

  /** @internal Takes over the state of a checkpoint. */
  load({ states }: SavedChildren): void {
    for (const saved of states) {
      const child = ChildState.load(saved, this.#byId?.get(saved.started.childId));
      this.#add(child);
      if (!child.isEnded) this.#openCount += 1;
    }
  }

  #add(child: ChildState): void {
    (this.#byId ??= new Map()).set(child.childId, child);
    (this.#byCall ??= new Map()).set(child.toolCallId, child);
    this.#states = [...this.#states, child];
  }

  /** Forgets the children of the session that this one was forked from. */
  forget(): void {
    this.#byCall = undefined;
    this.#byId = undefined;
    this.#states = noStates;
    this.#openCount = 0;
  }
}

const none: readonly Child[] = [];
const noStates: readonly ChildState[] = [];

/** Pending calls of a child, as its parent shows them. */
export function pendingVia(child: ChildStep, pending: readonly PendingCall[]): PendingCall[] {
  return pending.map((call) => ({ ...call, via: [child, ...(call.via ?? [])] }));
}
