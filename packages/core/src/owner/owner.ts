/** Does the work of a session under its lease until nothing is left: decides what comes next, plans turns and ends those that cannot run. */
import type { Child, MaybePromise, NextAction, OwnedBody } from "@capstan/log";
import { andThen, isPromise } from "@capstan/log";
import { BudgetRequests } from "../children/ask-for-budget.ts";
import { attendChildren, repeatAnswers } from "../children/attend-children.ts";
import { ParentReports } from "../children/parent-reports.ts";
import type { ParentSession } from "../children/start-child.ts";
import { Compactor } from "../compaction/compactor.ts";
import { isLeftToOthers } from "../errors/session-error.ts";
import { AbortSwitch } from "./abort-switch.ts";
import { turnOf } from "./context-of-turn.ts";
import type { DraftedTurn } from "./drafted-turn.ts";
import { abandonedWith, endInError, turnFailure } from "./end-in-error.ts";
import { changeOfPrompt } from "./opening-entries.ts";
import type { OwnedLog } from "./owned-append.ts";
import { appendOwned } from "./owned-append.ts";
import type { PlanningOptions } from "./planned-turn.ts";
import { disposePlan, orAborted, planAborted, planTurnOf } from "./planned-turn.ts";
import type { ResumeLimitOptions } from "./resume-limit.ts";
import { ResumeLimit } from "./resume-limit.ts";
import type { RunningTurnOptions, TurnOwner } from "./running-turn.ts";
import { RunningTurn } from "./running-turn.ts";
import type { AppendChoices } from "./session-log.ts";
import type { TurnAction } from "./turn-input.ts";
import { isSameAction } from "./turn-input.ts";

export interface OwnerOptions extends PlanningOptions, ResumeLimitOptions, RunningTurnOptions {
  /** Turn that an owner for another agent has opened under this lease. */
  readonly openedTurnId: string | undefined;
}

export class Owner implements TurnOwner {
  readonly #options: OwnerOptions;
  readonly #owned: OwnedLog;
  readonly #resumes: ResumeLimit;
  readonly compactor: Compactor;
  /** Created if the session is a child: most are not. */
  #reports: ParentReports | undefined;
  /** Likewise, if it has a slice of a budget. */
  #requests: BudgetRequests | undefined;
  /** Stops the turn that is running or being planned. */
  #abort: AbortSwitch | undefined;
  #turnId = "";
  #running: RunningTurn | undefined;
  /** Whether a resumed turn waits before it runs. */
  #isWaiting = false;
  #openedTurnId: string | undefined;

  constructor(options: OwnerOptions) {
    this.#options = options;
    const { log, heldLease, envelopes } = options;
    this.#owned = { log, heldLease, envelopes };
    this.#openedTurnId = options.openedTurnId;
    this.#resumes = new ResumeLimit(options);
    this.compactor = new Compactor(options, this);
  }

  /** Asks the parent of a child session for more of its budgets. */
  get budgets(): BudgetRequests {
    return (this.#requests ??= new BudgetRequests(this.#options.log, this.#options.host));
  }

  /** Turn whose start or resume this owner has written. */
  get openedTurnId(): string | undefined {
    return this.#openedTurnId;
  }

  onOpened(turnId: string): void {
    this.#openedTurnId = turnId;
  }

  /** Whether another agent has the conversation: its own owner continues. */
  get isHandedOff(): boolean {
    return this.#options.log.fold.agent !== this.#options.agent.name;
  }

  /**
   * Works until nothing is left to do, or another agent has the conversation, then returns true. Returns false if the lease was lost or is to be left, or the store is unavailable:
   * unfinished work is in the log, and due. Any other failure ends the turn in progress in an error. Throws if that cannot be recorded.
   * `draft`: the first turn, whose input is not in the log yet.
   */
  async work(draft?: DraftedTurn): Promise<boolean> {
    const { log, heldLease } = this.#options;
    heldLease.holder = this;
    let isFirst = true;
    let drafted = draft;
    while (!heldLease.isLost && !heldLease.isLeaving) {
      if (this.isHandedOff) return true;
      try {
        if (drafted !== undefined) {
          const first = drafted;
          drafted = undefined;
          // Here and not in a function of its own, whose frame would be held while the turn runs.
          try {
            await this.#runTurn(first.action, first);
          } catch (thrown) {
            // Nothing of the turn is in the log: it is run again if it is next, and meets the same failure.
            if (first.isBegun) throw thrown;
          }
          await first.begun;
          continue;
        }
        const confirmed = heldLease.confirm(log.now());
        if (confirmed !== undefined) await confirmed;
        const now = log.now();
        heldLease.check(now);
        if (isFirst && log.fold.children.hasAsked) await repeatAnswers(this.#asParent());
        isFirst = false;
        const action = log.fold.nextAction(now);
        const reported = this.#report(action);
        if (reported !== undefined) await reported;
        if (action.type === "none") {
          if (!log.isHeadBehind) return true;
          const refreshed = await log.refreshHead(heldLease);
          if (refreshed === "conflict") await log.catchUp();
        } else if (action.type === "return") await this.#returnItems(action.ids);
        else if (action.type === "compact") await this.#compact(action.ids);
        else if (action.type === "attend_children") await this.attend(action.children, undefined);
        else if (this.#abandonReason(action) !== undefined) await this.#endAbandoned(action);
        else await this.#runTurn(action);
      } catch (thrown) {
        this.#leaveTurn();
        if (!(await this.#isEnded(thrown))) return false;
      }
    }
    return heldLease.isReleased;
  }

  /** Tells the parent of a child session what it does not know yet. */
  #report(action: NextAction): Promise<void> | undefined {
    const { log, host } = this.#options;
    if (log.fold.created?.parent === undefined) return undefined;
    return (this.#reports ??= new ParentReports(log, host)).beforeNext(action);
  }

  /** Whether the end of the failed turn is in the log, so that the work can continue. */
  async #isEnded(thrown: unknown): Promise<boolean> {
    const { heldLease, log, faults } = this.#options;
    if (heldLease.isLost) return false;
    const action = log.fold.nextAction(log.now());
    const turnId = "turnId" in action ? action.turnId : undefined;
    const where = isLeftToOthers(thrown) ? "store" : "engine";
    const sessionId = log.id;
    faults.report({ error: thrown, where, sessionId, ...(turnId !== undefined && { turnId }) });
    if (where === "store") return false;
    const error = turnFailure("engine_failed", "The turn could not continue", thrown);
    try {
      return await endInError(this.#owned, action, error);
    } catch (refused) {
      if (heldLease.isLost || isLeftToOthers(refused)) return false;
      throw thrown;
    }
  }

  #abandonReason({ turnId }: TurnAction): string | undefined {
    return this.#options.log.fold.abandonReasonOf(turnId);
  }

  /** Nothing more of the turn runs: it only gets its end. */
  async #endAbandoned(action: TurnAction): Promise<void> {
    const error = abandonedWith(this.#abandonReason(action) ?? "");
    const isOpened = action.type === "resume" && action.turnId === this.#openedTurnId;
    await endInError(this.#owned, action, error, isOpened);
  }

  onLost(): void {
    this.#abort?.abort();
  }

  /** A turn that waits to be resumed has nothing to record. A turn that runs leaves by its journal. */
  onLeaving(): void {
    if (this.#isWaiting) this.#abort?.abort();
  }

  /** Called when entries were folded: one may cancel the turn. */
  onChange(): void {
    this.#requests?.onChange();
    if (this.#abort === undefined) return;
    const { fold } = this.#options.log;
    this.#resumes.onProgress(fold.turn?.resumes);
    const reason = fold.cancelReasonOf(this.#turnId) ?? fold.abandonReasonOf(this.#turnId);
    if (reason !== undefined) this.#abort.abort(reason === "" ? undefined : reason);
  }

  async #returnItems(ids: readonly string[]): Promise<void> {
    const turnId = this.#options.log.fold.turn?.turnId ?? ids[0] ?? "";
    const outcome = { type: "returned", reason: "cleared" } as const;
    await this.append([{ type: "queue_settled", turnId, ids, outcome }]);
  }

  /** Records what became of child sessions. */
  async attend(children: readonly Child[], turnId: string | undefined): Promise<void> {
    await attendChildren(this.#asParent(), children, turnId);
  }

  #asParent(): ParentSession {
    const { host, log } = this.#options;
    return { host, log, append: (bodies) => this.append(bodies) };
  }

  /** Appends entries, after those that wait for the next append. */
  append(
    bodies: readonly OwnedBody[],
    choices: Omit<AppendChoices, "lease"> = {},
  ): MaybePromise<"appended" | "conflict"> {
    const append = (): MaybePromise<"appended" | "conflict"> =>
      appendOwned(this.#owned, bodies, choices);
    const journal = this.#running?.journal;
    return journal?.hasWaiting === true ? andThen(journal.flush(), append) : append();
  }

  /** Appends entries with the next facts of the turn. */
  appendWithNext(bodies: readonly OwnedBody[]): MaybePromise<unknown> {
    const journal = this.#running?.journal;
    return journal === undefined ? this.append(bodies) : journal.keep(bodies);
  }

  /** Not part of any turn: messages sent in the meantime wait until it is done. */
  async #compact(ids: readonly string[]): Promise<void> {
    const { log } = this.#options;
    const [turnId = ""] = ids;
    const abort = new AbortSwitch();
    this.#abort = abort;
    this.#turnId = turnId;
    this.onChange();
    const turn = { turnId, config: log.fold.config, origin: {} };
    const planned = planTurnOf(this.#options, turn);
    const plan = isPromise(planned)
      ? await orAborted(planned, abort, this.#options, turn)
      : planned;
    try {
      const changes = changeOfPrompt(log.fold, turnId, plan);
      if (changes.length > 0) await this.append(changes);
      await this.compactor.compactAtRest({ turnId, plan, abort }, ids);
    } finally {
      this.#abort = undefined;
      await disposePlan(this.#options, plan);
    }
  }

  async #runTurn(action: TurnAction, draft?: DraftedTurn): Promise<void> {
    const { log, heldLease } = this.#options;
    const abort = new AbortSwitch();
    this.#abort = abort;
    this.#turnId = action.turnId;
    const { config } = log.fold;
    // The turn may have been cancelled before a process owned it.
    this.onChange();
    if (action.type === "resume" && !abort.aborted && (await this.#isGivenUp(action, abort))) {
      return this.#leaveTurn();
    }
    const turn = turnOf(action, log.fold, draft?.origin);
    const options = this.#options;
    const planned = abort.aborted ? planAborted(options, turn) : planTurnOf(options, turn);
    const plan = isPromise(planned) ? await orAborted(planned, abort, options, turn) : planned;
    const isPlannedAtOnce = planned === plan;
    try {
      // Its input has been posted alone.
      if (draft !== undefined && !isPlannedAtOnce) await draft.begun;
      // The next action may be a different one by now, or have different settings.
      const isPlanned = action.type === "resume" || abort.aborted || config === log.fold.config;
      const isNext = isPlanned && isSameAction(action, log.fold.nextAction(log.now()));
      const isDropped = heldLease.isLost || this.#abandonReason(action) !== undefined;
      if (!isDropped && (isPlannedAtOnce || isNext)) {
        const running = new RunningTurn(options, this, {
          action,
          origin: turn.origin,
          plan,
          abort,
          draft: isPlannedAtOnce ? draft : undefined,
        });
        this.#running = running;
        await running.run();
      }
    } finally {
      this.#leaveTurn();
      const disposed = disposePlan(this.#options, plan);
      if (isPromise(disposed)) await disposed;
    }
  }

  #leaveTurn(): void {
    this.#abort = undefined;
    this.#running = undefined;
    this.#resumes.leave();
  }

  /** Waits before resuming a turn that makes no progress, and ends it in an error after too many resumes. */
  async #isGivenUp(action: TurnAction, abort: AbortSwitch): Promise<boolean> {
    const { log, heldLease } = this.#options;
    const resumes = log.fold.turn?.resumes ?? 0;
    const error = this.#resumes.errorAfter(resumes);
    if (error !== undefined) {
      await endInError(this.#owned, action, error);
      return true;
    }
    const waiting = this.#resumes.wait(resumes, abort);
    if (waiting === undefined) return false;
    this.#isWaiting = true;
    await waiting;
    this.#isWaiting = false;
    return heldLease.isLost || heldLease.isLeaving;
  }
}
