/** Does the work of a session under its lease until nothing is left: starts, continues and resumes turns. */
import type {
  AgentEvent,
  ChatMessage,
  FinishReason,
  LoopContext,
  SerializedError,
  TurnProgress,
} from "@capstan/kernel";
import { background, runTurn } from "@capstan/kernel";
import type {
  MaybePromise,
  NextAction,
  OwnedBody,
  SessionConfig,
  SessionFold,
  StoredTurnOverrides,
} from "@capstan/log";
import { andThen, isPromise, RepositoryError } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { Model } from "../models/model.ts";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { Clock } from "../platform/clock.ts";
import { Compactor } from "../compaction/compactor.ts";
import { outputsToEvict } from "../outputs/evictions.ts";
import type { OutputReader } from "../outputs/output-reader.ts";
import type { ContextSize } from "../context/token-count.ts";
import { Envelopes } from "./envelopes.ts";
import { within } from "../platform/within.ts";
import { appendOwned } from "./owned-append.ts";
import type { HeldLease } from "./held-lease.ts";
import { endingOf, turnFailure } from "./end-in-error.ts";
import type { HostFault } from "../host/host-fault.ts";
import { resumeDelayMs } from "../platform/limits.ts";
import type { Solitary } from "./solitary.ts";
import { SessionError, isLeftToOthers } from "../errors/session-error.ts";
import type { AppendChoices, SessionLog } from "./session-log.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import type { TurnAction } from "./turn-input.ts";
import { isSameAction, tailOf, toTurnInput } from "./turn-input.ts";
import { TurnJournal } from "./turn-journal.ts";
import { AbortSwitch } from "./abort-switch.ts";

export interface OwnerOptions {
  readonly agent: Agent;
  readonly log: SessionLog;
  readonly heldLease: HeldLease;
  readonly clock: Clock;
  readonly sessionScope: DependencyScope;
  readonly outputs: OutputReader;
  readonly size: ContextSize;
  /** Models passed to the session in this process. */
  models(): readonly Model[];
  /** Receives the live events, while this process holds the session. */
  onLive(event: AgentEvent): void;
  /** Number of times a turn that makes no progress is resumed. */
  readonly maxResumes: number;
  /** Receives failures that reach no caller. */
  onFault(fault: HostFault): void;
  /** Called when the work pauses, and when it continues. */
  onPause(isPaused: boolean): void;
  /** For turns that were resumed repeatedly without progress. */
  readonly solitary: Solitary;
}

export class Owner {
  readonly #options: OwnerOptions;
  readonly #envelopes: Envelopes;
  readonly #compactor: Compactor;
  /** Stops the turn that is running or being planned. */
  #abort: AbortSwitch | undefined;
  #turnId = "";
  /** Set while the turn runs as the only suspect of its host. */
  #leaveSolitary: (() => void) | undefined;

  constructor(options: OwnerOptions) {
    this.#options = options;
    this.#envelopes = new Envelopes(options.log, options.heldLease.lease.epoch);
    const { log, size, clock, agent, heldLease } = options;
    this.#compactor = new Compactor({
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
      onLive: (event) => this.#showLive(event),
    });
  }

  /**
   * Works until nothing is left to do, then returns true. Returns false if the lease was lost or the store is unavailable: unfinished work
   * is in the log, and due. Any other failure ends the turn in progress in an error. Throws if that cannot be recorded.
   */
  async work(): Promise<boolean> {
    const { log, heldLease } = this.#options;
    heldLease.holder = this;
    while (!heldLease.isLost) {
      try {
        const confirmed = heldLease.confirm(log.now());
        if (confirmed !== undefined) await confirmed;
        const now = log.now();
        heldLease.check(now);
        const action = log.fold.nextAction(now);
        if (action.type === "none") {
          if (!log.isHeadBehind) return true;
          if ((await log.refreshHead(heldLease.lease)) === "conflict") await log.catchUp();
        } else if (action.type === "return") await this.#returnItems(action.ids);
        else if (action.type === "compact") await this.#compact(action.ids);
        else await this.#runTurn(action);
      } catch (thrown) {
        this.#leaveTurn();
        if (!(await this.#isEnded(thrown))) return false;
      }
    }
    return false;
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
      return await this.#endInError(action, error);
    } catch (refused) {
      if (heldLease.isLost || isLeftToOthers(refused)) return false;
      throw thrown;
    }
  }

  /** Returns false if there is no turn to end. */
  async #endInError(action: NextAction, error: SerializedError): Promise<boolean> {
    const { log } = this.#options;
    if (action.type === "compact") {
      const [turnId = ""] = action.ids;
      const failed = { type: "compaction_failed", turnId, reason: "failed", before: 0 } as const;
      await this.#append([{ ...failed, requests: action.ids, error }], {});
      return true;
    }
    if (!("turnId" in action)) throw new SessionError("engine_failed", error.message);
    const { turnId } = action;
    const isUpToDate = action.type !== "resume";
    const head = log.fold.headAtStart(log.now());
    const opened = await this.#append([this.#opening(action)], { head, isUpToDate });
    if (opened === "conflict") {
      // An entry posted in the meantime may have to be handled first.
      await log.catchUp();
      return true;
    }
    for (let tries = 0; tries < maxConflicts; tries += 1) {
      const now = log.now();
      const bodies = endingOf(log.fold, turnId, error, now);
      const end = log.fold.headAtEnd({ finishReason: "error" }, now);
      if ((await this.#append(bodies, { head: end, isUpToDate: true })) === "appended") return true;
      await log.catchUp();
    }
    throw new SessionError(
      "engine_failed",
      "The turn cannot end: too many entries are posted at the same time",
    );
  }

  onLost(): void {
    this.#abort?.abort();
  }

  /** Called when entries were folded: one may cancel the turn. */
  onChange(): void {
    if (this.#abort === undefined) return;
    // The turn made progress: it is no suspect any more.
    if (this.#leaveSolitary !== undefined && this.#options.log.fold.turn?.resumes === 0) {
      this.#leaveSolitary();
    }
    const reason = this.#options.log.fold.cancelReasonOf(this.#turnId);
    if (reason !== undefined) this.#abort.abort(reason === "" ? undefined : reason);
  }

  async #returnItems(ids: readonly string[]): Promise<void> {
    const turnId = this.#options.log.fold.turn?.turnId ?? ids[0] ?? "";
    const outcome = { type: "returned", reason: "cleared" } as const;
    await this.#append([{ type: "queue_settled", turnId, ids, outcome }], {});
  }

  /** Not part of any turn: messages sent in the meantime wait until it is done. */
  async #compact(ids: readonly string[]): Promise<void> {
    const { log } = this.#options;
    const [turnId = ""] = ids;
    const abort = new AbortSwitch();
    this.#abort = abort;
    this.#turnId = turnId;
    this.onChange();
    const planned = this.#planWith(log.fold.config, undefined);
    const plan = isPromise(planned) ? await this.#orAborted(planned, abort) : planned;
    try {
      const changes = this.#changeOfPrompt(turnId, plan);
      if (changes.length > 0) await this.#append(changes, {});
      await this.#compactor.compactAtRest({ turnId, plan, abort }, ids);
    } finally {
      this.#abort = undefined;
      await this.#dispose(plan);
    }
  }

  async #runTurn(action: TurnAction): Promise<void> {
    const { log } = this.#options;
    const abort = new AbortSwitch();
    this.#abort = abort;
    this.#turnId = action.turnId;
    const { config } = log.fold;
    // The turn may have been cancelled before a process owned it.
    this.onChange();
    if (action.type === "resume" && !abort.aborted && (await this.#isGivenUp(action, abort))) {
      return this.#leaveTurn();
    }
    const planned = abort.aborted ? this.#options.agent.planNothing() : this.#plan(action);
    const plan = isPromise(planned) ? await this.#orAborted(planned, abort) : planned;
    try {
      // The next action may be a different one by now, or have different settings.
      const isPlanned = action.type === "resume" || abort.aborted || config === log.fold.config;
      const isNext = isPlanned && isSameAction(action, log.fold.nextAction(log.now()));
      if (planned === plan || isNext) await this.#runPlanned(action, plan, abort);
    } finally {
      this.#leaveTurn();
      const disposed = this.#dispose(plan);
      if (isPromise(disposed)) await disposed;
    }
  }

  #leaveTurn(): void {
    this.#abort = undefined;
    this.#leaveSolitary?.();
    this.#leaveSolitary = undefined;
  }

  /** Waits before resuming a turn that makes no progress, and ends it in an error after too many resumes. */
  async #isGivenUp(action: TurnAction, abort: AbortSwitch): Promise<boolean> {
    const { log, clock, maxResumes, heldLease, onPause, solitary } = this.#options;
    const resumes = log.fold.turn?.resumes ?? 0;
    if (resumes >= maxResumes) {
      const why = `The turn was resumed ${resumes} times without progress: its process ended each time, or lost its lease`;
      await this.#endInError(action, turnFailure("resume_limit", why));
      return true;
    }
    const delayMs = resumeDelayMs(resumes);
    if (delayMs === 0) return false;
    onPause(true);
    await pause(clock.timer, delayMs, abort);
    // A turn that was aborted ends without running.
    if (!abort.aborted) this.#leaveSolitary = await solitary.enter(abort);
    onPause(false);
    return heldLease.isLost;
  }

  #dispose(plan: TurnPlan): MaybePromise<void> {
    const disposed = plan.dispose();
    if (!isPromise(disposed)) return;
    const { agent, clock } = this.#options;
    // The scope logs errors of `dispose`. One that hangs must not delay the next turn.
    return within(clock.timer, agent.callbackMs, disposed, "dispose").catch(() => {});
  }

  /** A turn that was aborted before it was planned needs no plan: it ends at once. */
  #orAborted(planned: Promise<TurnPlan>, abort: AbortSwitch): Promise<TurnPlan> {
    return new Promise((resolve, reject) => {
      planned.then(resolve, reject);
      abort.addEventListener("abort", () => {
        resolve(this.#options.agent.planNothing());
        background(
          planned.then((plan) => plan.dispose()),
          () => {},
        );
      });
    });
  }

  /** Plans with the current configuration; a resumed turn keeps the one it started with. */
  #plan(action: TurnAction): MaybePromise<TurnPlan> {
    const { fold } = this.#options.log;
    const config = action.type === "resume" ? fold.turn?.config : fold.config;
    return this.#planWith(config, optionsOf(action, fold));
  }

  #planWith(
    config: SessionConfig | undefined,
    overrides: StoredTurnOverrides | undefined,
  ): MaybePromise<TurnPlan> {
    const { agent, log, clock, sessionScope, outputs, models } = this.#options;
    return agent.plan({
      sessionId: log.id,
      sessionScope,
      isOfSession: true,
      outputs,
      models: models(),
      spent: () => log.fold.turn?.chainCost,
      prompt: log.fold.prompt,
      ...(overrides && { overrides }),
      ...(config && { config }),
      now: clock.now,
      timer: clock.timer,
    });
  }

  async #runPlanned(action: TurnAction, plan: TurnPlan, abort: AbortSwitch): Promise<void> {
    const { heldLease, log } = this.#options;
    // The history before the entry that starts the turn.
    const { messages, input } = tailOf(action, log.fold);
    const opening = [this.#opening(action), ...this.#changeOfPrompt(action.turnId, plan)];
    const head = log.fold.headAtStart(log.now());
    // A resumed turn keeps the configuration from its start.
    const isUpToDate = action.type !== "resume";
    const opened = this.#append(opening, { head, isUpToDate });
    if ((isPromise(opened) ? await opened : opened) === "conflict") {
      // Entries posted in the meantime come first.
      await log.catchUp();
      return;
    }
    // Continues in the middle of the last step in the log, unless the turn is new.
    const at = action.type === "start" ? { messages } : log.fold.transcript.entryPoint();
    this.onChange();
    const compaction = { turnId: action.turnId, plan, abort };
    this.#compactor.beginTurn();
    const journal = new TurnJournal({
      turnId: action.turnId,
      log,
      heldLease,
      plan,
      envelopes: this.#envelopes,
      onCancelled: () => this.onChange(),
    });
    const result = await runTurn(
      toTurnInput(this.#options, action, plan, {
        messages: at.messages,
        input: input.length > 0 ? input : undefined,
        open: at.open,
        signal: abort,
        makeRoom: (overflow) => this.#compactor.makeRoom(compaction, overflow),
        record: (facts) => {
          const { underWay } = this.#compactor;
          // An abort ends the wait for a summary; the outcome of that is recorded first.
          return underWay === undefined
            ? journal.record(facts)
            : underWay.then(() => journal.record(facts));
        },
        checkLimits: (progress) => this.#beforeRequest(action.turnId, plan, progress),
        onOverflow: (error, shown) =>
          this.#askOnOverflow(action.turnId, plan.settings.context.onOverflow, error, shown),
        emit: (event) => this.#showLive(event),
      }),
    );
    if (result.error?.code !== "journal_failed") return;
    // A store that timed out threw nothing.
    if (journal.failure !== undefined) throw journal.failure.thrown;
    throw new RepositoryError("unavailable", log.id, result.error.message);
  }

  #opening(action: TurnAction): OwnedBody {
    const { turnId } = action;
    switch (action.type) {
      case "start":
        return { type: "turn_started", turnId, input: action.input };
      case "continue":
        return { type: "turn_started", turnId, input: [], continues: action.continues };
      case "resume":
        return { type: "turn_resumed", turnId, epoch: this.#options.heldLease.lease.epoch };
      default:
        return action satisfies never;
    }
  }

  #changeOfPrompt(turnId: string, { prompt }: TurnPlan): OwnedBody[] {
    if (prompt === undefined) return [];
    const { prompt: last } = this.#options.log.fold;
    const isSame =
      last?.instructions === prompt.instructions && last?.toolsHash === prompt.toolsHash;
    return isSame ? [] : [{ type: "prompt", turnId, ...prompt }];
  }

  /** Evicts outputs from the context if necessary, and checks whether another request is allowed. */
  #beforeRequest(
    turnId: string,
    plan: TurnPlan,
    progress: TurnProgress,
  ): MaybePromise<FinishReason | undefined> {
    const { log, heldLease } = this.#options;
    // The request that follows is an effect.
    const confirmed = heldLease.confirm(log.now());
    if (confirmed !== undefined) {
      return confirmed.then(() => this.#beforeRequest(turnId, plan, progress));
    }
    const { settings, ephemeral, outputs: limits } = plan;
    const { outputs, transcript } = log.fold;
    const toolCallIds = outputsToEvict(outputs, ephemeral, transcript.lastReplyIndex, limits);
    const check = (): MaybePromise<FinishReason | undefined> =>
      settings.limits.checkLimits?.(this.#compactor.addTo(progress));
    if (toolCallIds.length === 0) return check();
    const evicted = this.#append([{ type: "eviction", turnId, toolCallIds }], {});
    return andThen(evicted, check);
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

  #showLive(event: AgentEvent): void {
    if (!this.#options.heldLease.isLost) this.#options.onLive(event);
  }

  #append(
    bodies: readonly OwnedBody[],
    choices: Omit<AppendChoices, "lease">,
  ): MaybePromise<"appended" | "conflict"> {
    const { log, heldLease } = this.#options;
    return appendOwned({ log, heldLease, envelopes: this.#envelopes }, bodies, choices);
  }
}

/** Options that a turn was sent with. A turn started only by queued messages has none. */
function optionsOf(action: TurnAction, fold: SessionFold): StoredTurnOverrides | undefined {
  if (action.type !== "start") return fold.turn?.options;
  const { acceptedInput: input } = fold;
  return input !== undefined && action.input.includes(input.id) ? input.options : undefined;
}

/** Waits, unless aborted. */
function pause(timer: Clock["timer"], ms: number, abort: AbortSwitch): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timer(ms, resolve);
    abort.addEventListener("abort", () => {
      cancel();
      resolve();
    });
  });
}

/** Maximum number of consecutive conflicts with posts while a turn is being ended. */
const maxConflicts = 100;
