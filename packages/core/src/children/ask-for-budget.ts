/** A child session that has used up its slice asks its parent for more, and makes no request until it has an answer. */
import type { BudgetSlice, SessionFold } from "@capstan/log";
import type { SessionLog } from "../owner/session-log.ts";
import type { SessionHost } from "../session/session-host.ts";
import { isUsedUp, leftOfSlice } from "./budget-slices.ts";
import { postTo } from "./child-posts.ts";

/** How often a session that waits for an answer reads its log: a wake-up may have been lost. */
const pollMs = 1_000;

export class BudgetRequests {
  readonly #log: SessionLog;
  readonly #host: SessionHost;
  #resolve: (() => void) | undefined;

  constructor(log: SessionLog, host: SessionHost) {
    this.#log = log;
    this.#host = host;
  }

  /** Called when entries were folded. */
  onChange(): void {
    this.#resolve?.();
  }

  /** Whether the slice of the running turn is used up. */
  get isShort(): boolean {
    return isUsedUp(leftOfSlice(this.#log.fold, this.#log.now()));
  }

  /** Resolves with true if another request may be made, with false if the parent has refused more. `isStopped` ends the wait. */
  async ask(isStopped: () => boolean): Promise<boolean> {
    while (this.isShort && !isStopped()) {
      const isGranted = await this.#askOnce(isStopped);
      if (!isGranted) return false;
    }
    return true;
  }

  async #askOnce(isStopped: () => boolean): Promise<boolean> {
    const { fold, id: childId } = this.#log;
    const { parent } = fold.created ?? {};
    const call = fold.turn?.origin.call;
    const { timeMs = 1 } = leftOfSlice(fold, this.#log.now());
    if (parent === undefined || call === undefined || timeMs <= 0) return false;
    const childSeq = fold.seq;
    const report = { type: "asking", used: usedOf(fold, call, this.#log.now()) } as const;
    const body = { type: "child_reported", toolCallId: call, childId, childSeq, report } as const;
    const { sessionId, incarnation } = parent;
    const id = `${childId}-${childSeq}`;
    // Without a parent no answer comes.
    const seq = await postTo(this.#host, sessionId, id, body, { incarnation });
    if (seq === undefined) return false;
    this.#host.lookForWork(sessionId, seq);
    await this.#answered(call, childSeq, isStopped);
    return fold.tasks.budgetFor(call)?.isRefused === false;
  }

  async #answered(call: string, childSeq: number, isStopped: () => boolean): Promise<void> {
    const { clock } = this.#host;
    const isOpen = (): boolean => {
      const { answeredSeq = 0 } = this.#log.fold.tasks.budgetFor(call) ?? {};
      return answeredSeq < childSeq && !isStopped();
    };
    while (isOpen()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      const cancel = clock.timer?.(pollMs, resolve);
      await promise;
      cancel?.();
      this.#resolve = undefined;
      if (isOpen()) await this.#log.catchUp();
    }
  }
}

/** Spent, and reserved for its own children. */
function usedOf(fold: SessionFold, call: string, now: number): BudgetSlice {
  const { tokens, cost } = fold.tasks.budgetFor(call)?.budget ?? {};
  const left = leftOfSlice(fold, now);
  return {
    ...(tokens !== undefined && { tokens: tokens - (left.tokens ?? 0) }),
    ...(cost !== undefined && { cost: cost - (left.cost ?? 0) }),
  };
}
