/** Does the work of a session under its lease until nothing is left: starts, continues and resumes turns. */
import type { ChatMessage, EventEmitter, LoopContext, SerializedError } from "@capstan/kernel";
import { runTurn } from "@capstan/kernel";
import type {
  Child,
  Entry,
  MaybePromise,
  NextAction,
  OwnedBody,
  SessionIds,
  TurnOrigin,
} from "@capstan/log";
import { andThen, isPromise, RepositoryError } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import { ParentReports } from "../children/parent-reports.ts";
import { BudgetRequests } from "../children/ask-for-budget.ts";
import { attendChildren, repeatAnswers } from "../children/attend-children.ts";
import type { ParentSession } from "../children/start-child.ts";
import { Compactor } from "../compaction/compactor.ts";
import type { ContextSize } from "../context/token-count.ts";
import type { DraftedTurn } from "./drafted-turn.ts";
import type { Envelopes } from "./envelopes.ts";
import { within } from "../platform/within.ts";
import { changeOfPrompt, checkpointBefore, openingOf } from "./opening-entries.ts";
import type { OwnedLog } from "./owned-append.ts";
import { appendOwned } from "./owned-append.ts";
import type { HeldLease } from "./held-lease.ts";
import { abandonedWith, endInError, turnFailure } from "./end-in-error.ts";
import type { HostFault } from "../host/host-fault.ts";
import { turnOf } from "./context-of-turn.ts";
import type { PlanningOptions } from "./planned-turn.ts";
import { disposePlan, orAborted, planAborted, planTurnOf } from "./planned-turn.ts";
import type { RequestOwner } from "./request-checks.ts";
import { RequestChecks } from "./request-checks.ts";
import type { ResumeLimitOptions } from "./resume-limit.ts";
import { ResumeLimit } from "./resume-limit.ts";
import { isLeftToOthers } from "../errors/session-error.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { AppendChoices } from "./session-log.ts";
import type { TurnAction } from "./turn-input.ts";
import { isSameAction, tailOf, toTurnInput } from "./turn-input.ts";
import { TurnJournal } from "./turn-journal.ts";
import { mayOpenLater } from "./waiting-facts.ts";
import { AbortSwitch } from "./abort-switch.ts";

export interface OwnerOptions extends PlanningOptions, ResumeLimitOptions {
  readonly host: SessionHost;
  readonly heldLease: HeldLease;
  readonly envelopes: Envelopes;
  /** Turn that an owner for another agent has opened under this lease. */
  readonly openedTurnId: string | undefined;
  readonly size: ContextSize;
  /** Receives the live events. Called for every delta, so each layer in between costs. */
  readonly emit: EventEmitter<SessionIds>;
  /** Receives failures that reach no caller. */
  onFault(fault: HostFault): void;
}

export class Owner implements RequestOwner {
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
  #journal: TurnJournal | undefined;
  /** Whether a resumed turn waits before it runs. */
  #isWaiting = false;
  #openedTurnId: string | undefined;

  constructor(options: OwnerOptions) {
    this.#options = options;
    const { log, size, clock, agent, heldLease, emit } = options;
    this.#owned = { log, heldLease, envelopes: options.envelopes };
    this.#openedTurnId = options.openedTurnId;
    this.#resumes = new ResumeLimit(options);
    this.compactor = new Compactor({
      log,
      size,
      clock,
      append: (bodies, choices) => {
        const appended = this.#append(bodies, choices);
        if (!isPromise(appended)) return appended;
        return within(clock.timer, agent.callbackMs, appended, "append");
      },
      confirmOwnership: () =>
        andThen(heldLease.confirm(log.now()), () => heldLease.check(log.now())),
      emit,
    });
  }

  /** Asks the parent of a child session for more of its budgets. */
  get budgets(): BudgetRequests {
    return (this.#requests ??= new BudgetRequests(this.#options.log, this.#options.host));
  }

  /** Turn whose start or resume this owner has written. */
  get openedTurnId(): string | undefined {
    return this.#openedTurnId;
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
          await this.#runDraft(first);
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
          const refreshed = await log.refreshHead(heldLease.lease, heldLease.onReleased);
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
    const { heldLease, log, onFault } = this.#options;
    if (heldLease.isLost) return false;
    const action = log.fold.nextAction(log.now());
    const turnId = "turnId" in action ? action.turnId : undefined;
    const where = isLeftToOthers(thrown) ? "store" : "engine";
    onFault({ error: thrown, where, sessionId: log.id, ...(turnId !== undefined && { turnId }) });
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
    await this.#append([{ type: "queue_settled", turnId, ids, outcome }], {});
  }

  /** Records what became of child sessions. */
  async attend(children: readonly Child[], turnId: string | undefined): Promise<void> {
    await attendChildren(this.#asParent(), children, turnId);
  }

  #asParent(): ParentSession {
    const { host, log } = this.#options;
    return { host, log, append: (bodies) => this.append(bodies) };
  }

  /** Appends entries about child sessions. */
  append(bodies: readonly OwnedBody[]): MaybePromise<unknown> {
    return this.#append(bodies, {});
  }

  /** Likewise, with the next facts of the turn. */
  appendWithNext(bodies: readonly OwnedBody[]): MaybePromise<unknown> {
    return this.#journal === undefined ? this.append(bodies) : this.#journal.keep(bodies);
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
      if (changes.length > 0) await this.#append(changes, {});
      await this.compactor.compactAtRest({ turnId, plan, abort }, ids);
    } finally {
      this.#abort = undefined;
      await disposePlan(this.#options, plan);
    }
  }

  async #runDraft(draft: DraftedTurn): Promise<void> {
    try {
      await this.#runTurn(draft.action, draft);
    } catch (thrown) {
      // Nothing of the turn is in the log: it is run again if it is next, and meets the same failure.
      if (draft.isBegun) throw thrown;
    }
    await draft.begun;
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
        const drafted = isPlannedAtOnce ? draft : undefined;
        await this.#runPlanned(action, turn.origin, plan, abort, drafted);
      }
    } finally {
      this.#leaveTurn();
      const disposed = disposePlan(this.#options, plan);
      if (isPromise(disposed)) await disposed;
    }
  }

  #leaveTurn(): void {
    this.#abort = undefined;
    this.#journal = undefined;
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

  async #runPlanned(
    action: TurnAction,
    origin: TurnOrigin,
    plan: TurnPlan,
    abort: AbortSwitch,
    draft: DraftedTurn | undefined,
  ): Promise<void> {
    const { heldLease, host, log, emit, clock, onFault } = this.#options;
    // The history before the entry that starts the turn.
    const { messages, input } = tailOf(action, log.fold, draft?.input);
    const prompt = changeOfPrompt(log.fold, action.turnId, plan);
    // Another agent continues a turn of the same owner without a resumption.
    const isOpened = action.type === "resume" && action.turnId === this.#openedTurnId;
    const opening = draft?.opening ?? openingOf(action, heldLease.lease.epoch);
    const checkpoint =
      draft === undefined ? checkpointBefore(action, log, host.checkpointAfter) : [];
    const bodies = isOpened ? prompt : [...checkpoint, opening, ...prompt];
    const plannedAt = log.fold.seq;
    const start = log.fold.headAtStart(
      log.now(),
      checkpoint.length > 0 ? log.fold.seq + 1 : undefined,
    );
    const head = draft?.headOf(start) ?? start;
    const onOpened = (): void => {
      this.#openedTurnId = action.turnId;
    };
    const isOpenedLater =
      action.type === "start" && mayOpenLater(log.fold, plan, origin, prompt.length > 0);
    if (!isOpenedLater) {
      // A resumed turn keeps the configuration from its start.
      const isUpToDate = action.type !== "resume";
      const opened =
        draft === undefined
          ? this.#append(bodies, { head, isUpToDate })
          : draft.append(this.#entriesOf(bodies), head);
      if ((isPromise(opened) ? await opened : opened) === "conflict") {
        // Entries posted in the meantime come first.
        await log.catchUp();
        return;
      }
      onOpened();
    }
    // Continues in the middle of the last step in the log, unless the turn is new.
    const at = action.type === "start" ? { messages } : log.fold.transcript.entryPoint();
    this.onChange();
    this.compactor.beginTurn();
    const journal = new TurnJournal({
      turnId: action.turnId,
      log,
      heldLease,
      plan,
      envelopes: this.#owned.envelopes,
      opening: isOpenedLater ? { bodies, head, plannedAt, draft, onOpened } : undefined,
      onCancelled: () => this.onChange(),
    });
    this.#journal = journal;
    const turn = { turnId: action.turnId, plan, abort };
    const requests = new RequestChecks(this.#options, this, { turn, input, journal });
    const surroundings = { log, heldLease, onFault, clock: draft?.clockOf(clock) ?? clock };
    const result = await runTurn(
      toTurnInput(surroundings, action, plan, {
        origin,
        messages: at.messages,
        input: input.length > 0 ? input : undefined,
        open: at.open,
        signal: abort,
        makeRoom: (overflow) => requests.makeRoom(overflow),
        record: (facts, isFollowed) => {
          const { underWay } = this.compactor;
          // An abort ends the wait for a summary; the outcome of that is recorded first.
          return underWay === undefined
            ? journal.record(facts, isFollowed)
            : underWay.then(() => journal.record(facts, isFollowed));
        },
        checkLimits: (progress) => requests.checkLimits(progress),
        onOverflow: (error, shown) =>
          this.#askOnOverflow(action.turnId, plan.settings.context.onOverflow, error, shown),
        emit,
      }),
      { sessionId: log.id, turnId: action.turnId },
    );
    if (journal.isSuperseded) {
      // Entries posted in the meantime come first.
      await log.catchUp();
      return;
    }
    // The journal of an abandoned turn takes no more facts.
    if (result.error?.code !== "journal_failed" || journal.isAbandoned) return;
    // A store that timed out threw nothing.
    if (journal.failure !== undefined) throw journal.failure.thrown;
    throw new RepositoryError("unavailable", log.id, result.error.message);
  }

  /** Whether something of the turn waits for the next append. */
  get #hasWaiting(): boolean {
    return this.#journal?.hasWaiting === true;
  }

  /** Leaves out a part that a vendor rejects, from now on and in every process. */
  async #askOnOverflow(
    turnId: string,
    onOverflow: LoopContext["onOverflow"],
    error: SerializedError,
    messages: readonly ChatMessage[],
  ): Promise<readonly ChatMessage[] | undefined> {
    const replacement = await this.#reporting(turnId, () => onOverflow?.(error, messages));
    if (replacement === undefined || error.rejected === undefined) return replacement;
    await this.#append([{ type: "quarantine", turnId, ...error.rejected }], {});
    return replacement;
  }

  async #reporting<T>(turnId: string, hook: () => MaybePromise<T>): Promise<T> {
    try {
      return await hook();
    } catch (error) {
      const { log, onFault } = this.#options;
      onFault({ error, where: "hook", sessionId: log.id, turnId });
      throw error;
    }
  }

  #entriesOf(bodies: readonly OwnedBody[]): Entry[] {
    const { envelopes, log } = this.#options;
    envelopes.begin(log.now());
    return bodies.map((body): Entry => ({ ...envelopes.next(), ...body }));
  }

  #append(
    bodies: readonly OwnedBody[],
    choices: Omit<AppendChoices, "lease">,
  ): MaybePromise<"appended" | "conflict"> {
    const append = (): MaybePromise<"appended" | "conflict"> =>
      appendOwned(this.#owned, bodies, choices);
    return this.#hasWaiting ? andThen(this.#journal?.flush(), append) : append();
  }
}
