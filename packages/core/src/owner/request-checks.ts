/** Checks before each request of a turn: evicts outputs, checks the limits and makes room in the context. */
import type {
  ChatMessage,
  FinishReason,
  Room,
  SerializedError,
  TurnProgress,
} from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { Child, MaybePromise, OwnedBody } from "@capstan/log";
import { andThen, orElse } from "@capstan/log";
import type { BudgetRequests } from "../children/ask-for-budget.ts";
import type { CompactionContext } from "../compaction/compact-context.ts";
import type { Compactor } from "../compaction/compactor.ts";
import type { ContextSize } from "../context/token-count.ts";
import { outputsToEvict } from "../outputs/evictions.ts";
import type { HeldLease } from "./held-lease.ts";
import type { SessionLog } from "./session-log.ts";
import type { TurnJournal } from "./turn-journal.ts";
import { handedOff } from "./turn-journal.ts";
import { mustBeStored } from "./waiting-facts.ts";

interface SessionAtWork {
  readonly log: SessionLog;
  readonly heldLease: HeldLease;
  readonly size: ContextSize;
}

/** The owner of the session. */
export interface RequestOwner {
  readonly compactor: Compactor;
  /** Asks the parent of a child session for more of its budgets. */
  readonly budgets: BudgetRequests;
  /** Whether another agent has the conversation. */
  readonly isHandedOff: boolean;
  /** Records what became of child sessions. */
  attend(children: readonly Child[], turnId: string): Promise<void>;
  append(bodies: readonly OwnedBody[]): MaybePromise<unknown>;
}

interface CheckedTurn {
  readonly turn: CompactionContext;
  /** Messages that the turn starts with. */
  readonly input: readonly ChatMessage[];
  readonly journal: TurnJournal;
}

export class RequestChecks {
  readonly #session: SessionAtWork;
  readonly #owner: RequestOwner;
  readonly #checked: CheckedTurn;

  constructor(session: SessionAtWork, owner: RequestOwner, checked: CheckedTurn) {
    this.#session = session;
    this.#owner = owner;
    this.#checked = checked;
  }

  /** Evicts outputs from the context if necessary, and checks whether another request is allowed. */
  checkLimits(progress: TurnProgress): MaybePromise<FinishReason | undefined> {
    return this.#unlessStopped(() =>
      andThen(this.#storeIfNeeded(), () => this.#checkLimits(progress)),
    );
  }

  /** Synchronous if there is room, which is almost always. */
  makeRoom(overflow: SerializedError | undefined): MaybePromise<Room> {
    return this.#unlessStopped(() => this.#makeRoom(overflow));
  }

  /** To the loop, a failure of the store is one of a callback, which ends the turn. */
  #unlessStopped<T>(check: () => MaybePromise<T>): MaybePromise<T> {
    return orElse(check, (thrown) => this.#checked.journal.stopAfter(thrown));
  }

  #makeRoom(overflow: SerializedError | undefined): MaybePromise<Room> {
    const { turn, journal } = this.#checked;
    if (this.#hasSlice) return this.#makeRoomInSlice(overflow);
    // Waiting facts fit: otherwise they were stored when the limits were checked.
    return journal.hasWaiting ? undefined : this.#owner.compactor.makeRoom(turn, overflow);
  }

  /** Stores what waits for the next append, if the limits of the next request depend on it. */
  #storeIfNeeded(): MaybePromise<unknown> {
    const { journal, input, turn } = this.#checked;
    const { log, size } = this.#session;
    if (!journal.hasWaiting) return undefined;
    // The answer of a parent takes its time.
    if (this.#hasSlice && this.#owner.budgets.isShort) return journal.flush();
    const waiting = { facts: journal.waiting, input: journal.isOpening ? input : [] };
    return mustBeStored(waiting, log.fold, turn.plan, size) ? journal.flush() : undefined;
  }

  #checkLimits(progress: TurnProgress): MaybePromise<FinishReason | undefined> {
    const { log, heldLease } = this.#session;
    const { turn } = this.#checked;
    if (this.#owner.isHandedOff) return handedOff;
    // The request that follows is an effect.
    const now = log.now();
    const confirmed = heldLease.confirm(now);
    if (confirmed !== undefined) return confirmed.then(() => this.#checkLimits(progress));
    const children = log.fold.children.due(now);
    if (children.length > 0) {
      const attended = this.#owner.attend(children, turn.turnId);
      return attended.then(() => this.#checkLimits(progress));
    }
    const { settings, ephemeral, outputs: limits } = turn.plan;
    const { outputs, transcript } = log.fold;
    const toolCallIds = outputsToEvict(outputs, ephemeral, transcript.lastReplyIndex, limits);
    const check = (): MaybePromise<FinishReason | undefined> =>
      settings.limits.checkLimits?.(this.#withReserved(this.#owner.compactor.addTo(progress)));
    if (toolCallIds.length === 0) return check();
    const { turnId } = turn;
    return andThen(this.#owner.append([{ type: "eviction", turnId, toolCallIds }]), check);
  }

  /** Counts what children in the background may still use of the budgets. */
  #withReserved(progress: TurnProgress): TurnProgress {
    const { children, turn } = this.#session.log.fold;
    const { tokens } = children.reservedIn(turn?.rootId);
    if (tokens === 0) return progress;
    return { ...progress, usage: addUsage(progress.usage, { inputTokens: tokens }) };
  }

  /** Whether the running turn works on a call of a parent that gave it a slice of its budgets. */
  get #hasSlice(): boolean {
    const { turn, tasks } = this.#session.log.fold;
    const call = turn?.origin.call;
    return call !== undefined && tasks.budgetFor(call) !== undefined;
  }

  /** Makes room in the context, and no request for which nothing of the slice is left, summaries included. */
  async #makeRoomInSlice(overflow?: SerializedError): Promise<Room> {
    const { compactor, budgets } = this.#owner;
    const { turn } = this.#checked;
    const isStopped = (): boolean => turn.abort.aborted;
    if (!(await budgets.ask(isStopped))) return "budget-exceeded";
    const room = await compactor.makeRoom(turn, overflow);
    return room === true && !(await budgets.ask(isStopped)) ? "budget-exceeded" : room;
  }
}
