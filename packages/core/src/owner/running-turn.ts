/** Runs a planned turn: stores its opening, or leaves that to its first facts, and lets the kernel run it. */
import type {
  ChatMessage,
  EventEmitter,
  OpenCall,
  RunTurnInput,
  RunTurnResult,
  SerializedError,
} from "@capstan/kernel";
import { runTurn } from "@capstan/kernel";
import type { Entry, MaybePromise, OwnedBody, SessionIds, TurnOrigin } from "@capstan/log";
import { isPromise, RepositoryError } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { ContextSize } from "../context/token-count.ts";
import type { SessionFaults } from "../host/session-faults.ts";
import type { Clock } from "../platform/clock.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { AbortSwitch } from "./abort-switch.ts";
import type { DraftedTurn } from "./drafted-turn.ts";
import type { Envelopes } from "./envelopes.ts";
import type { HeldLease } from "./held-lease.ts";
import { changeOfPrompt, checkpointBefore, openingOf } from "./opening-entries.ts";
import type { RequestOwner } from "./request-checks.ts";
import { RequestChecks } from "./request-checks.ts";
import type { AppendChoices, SessionLog } from "./session-log.ts";
import type { Tail, TurnAction } from "./turn-input.ts";
import { tailOf, toTurnInput } from "./turn-input.ts";
import type { Opening } from "./turn-journal.ts";
import { TurnJournal } from "./turn-journal.ts";
import { mayOpenLater } from "./waiting-facts.ts";

export interface RunningTurnOptions {
  readonly host: SessionHost;
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly heldLease: HeldLease;
  readonly envelopes: Envelopes;
  readonly size: ContextSize;
  /** Receives the live events. Called for every delta, so each layer in between costs. */
  readonly emit: EventEmitter<SessionIds>;
  /** Receives failures that reach no caller. */
  readonly faults: Pick<SessionFaults, "report">;
}

/** The owner of the session. */
export interface TurnOwner extends RequestOwner {
  /** Turn whose start or resume this owner has written. */
  readonly openedTurnId: string | undefined;
  append(
    bodies: readonly OwnedBody[],
    choices?: Omit<AppendChoices, "lease">,
  ): MaybePromise<"appended" | "conflict">;
  /** Called once the start or resume of the turn is in the log. */
  onOpened(turnId: string): void;
  /** Called before the turn runs: it may have been cancelled. */
  onChange(): void;
}

/** A turn of the session with its plan. */
export interface TurnToRun {
  readonly action: TurnAction;
  readonly origin: TurnOrigin;
  readonly plan: TurnPlan;
  readonly abort: AbortSwitch;
  /** Undefined if the input of the turn is in the log. */
  readonly draft: DraftedTurn | undefined;
}

/** Point of the conversation at which the kernel begins. */
interface EntryPoint {
  readonly messages: readonly ChatMessage[];
  readonly open?: readonly OpenCall[];
}

export class RunningTurn {
  readonly #options: RunningTurnOptions;
  readonly #owner: TurnOwner;
  readonly #turn: TurnToRun;
  #journal: TurnJournal | undefined;

  constructor(options: RunningTurnOptions, owner: TurnOwner, turn: TurnToRun) {
    this.#options = options;
    this.#owner = owner;
    this.#turn = turn;
  }

  /** Undefined until the turn was opened, or its opening waits for its first facts. */
  get journal(): TurnJournal | undefined {
    return this.#journal;
  }

  /** Returns once the turn has ended or was suspended, or if entries posted in the meantime come first. */
  run(): MaybePromise<void> {
    const { log } = this.#options;
    const { action, origin, plan, draft } = this.#turn;
    // The history before the entry that starts the turn.
    const tail = tailOf(action, log.fold, draft?.input);
    const prompt = changeOfPrompt(log.fold, action.turnId, plan);
    const opening = this.#openingWith(prompt);
    const isOpenedLater =
      action.type === "start" && mayOpenLater(log.fold, plan, origin, prompt.length > 0);
    return isOpenedLater ? this.#runKernel(tail, opening) : this.#runOpened(tail, opening);
  }

  async #runOpened(tail: Tail, opening: Opening): Promise<void> {
    const opened = this.#open(opening);
    // Entries posted in the meantime come first.
    if ((isPromise(opened) ? await opened : opened) === "conflict") {
      await this.#options.log.catchUp();
      return;
    }
    opening.onOpened();
    await this.#runKernel(tail, undefined);
  }

  /** Not async: its frame would be held while the turn runs. `opening`: unless it is stored. */
  #runKernel({ messages, input }: Tail, opening: Opening | undefined): Promise<void> {
    const { log, heldLease, envelopes } = this.#options;
    const { action, plan } = this.#turn;
    const { turnId } = action;
    // Continues in the middle of the last step in the log, unless the turn is new.
    const at = action.type === "start" ? { messages } : log.fold.transcript.entryPoint();
    this.#owner.onChange();
    this.#owner.compactor.beginTurn();
    const journal = new TurnJournal(
      { turnId, log, heldLease, plan, envelopes, owner: this.#owner },
      opening,
    );
    this.#journal = journal;
    const ended = runTurn(this.#inputOf(journal, at, input), { sessionId: log.id, turnId });
    return ended.then((result) => this.#afterTurn(result, journal));
  }

  #afterTurn(result: RunTurnResult, journal: TurnJournal): MaybePromise<void> {
    const { log } = this.#options;
    // Entries posted in the meantime come first.
    if (journal.isSuperseded) return log.catchUp();
    // The journal of an abandoned turn takes no more facts.
    if (result.error?.code !== "journal_failed" || journal.isAbandoned) return;
    // A store that timed out threw nothing.
    if (journal.failure !== undefined) throw journal.failure.thrown;
    throw new RepositoryError("unavailable", log.id, result.error.message);
  }

  /** Entries that open the turn, and the head that follows from them. */
  #openingWith(prompt: readonly OwnedBody[]): Opening {
    const { heldLease, host, log } = this.#options;
    const { action, draft } = this.#turn;
    const { turnId } = action;
    // Another agent continues a turn of the same owner without a resumption.
    const isOpened = action.type === "resume" && turnId === this.#owner.openedTurnId;
    const opening = draft?.opening ?? openingOf(action, heldLease.lease.epoch);
    const checkpoint =
      draft === undefined ? checkpointBefore(action, log, host.checkpointAfter) : [];
    const plannedAt = log.fold.seq;
    const start = log.fold.headAtStart(
      log.now(),
      checkpoint.length > 0 ? plannedAt + 1 : undefined,
    );
    return {
      bodies: isOpened ? prompt : checkpoint.concat(opening, prompt),
      head: draft?.headOf(start) ?? start,
      plannedAt,
      draft,
      onOpened: () => this.#owner.onOpened(turnId),
    };
  }

  #open({ bodies, head, draft }: Opening): MaybePromise<"appended" | "conflict"> {
    if (draft !== undefined) return draft.append(this.#entriesOf(bodies), head);
    // A resumed turn keeps the configuration from its start.
    const isUpToDate = this.#turn.action.type !== "resume";
    return this.#owner.append(bodies, { head, isUpToDate });
  }

  #entriesOf(bodies: readonly OwnedBody[]): Entry[] {
    const { envelopes, log } = this.#options;
    envelopes.begin(log.now());
    return bodies.map((body): Entry => ({ ...envelopes.next(), ...body }));
  }

  #inputOf(
    journal: TurnJournal,
    at: EntryPoint,
    input: readonly ChatMessage[],
  ): RunTurnInput<SessionIds> {
    const { log, heldLease, clock, emit, faults } = this.#options;
    const { action, origin, plan, abort, draft } = this.#turn;
    const { compactor } = this.#owner;
    const turn = { turnId: action.turnId, plan, abort };
    const requests = new RequestChecks(this.#options, this.#owner, { turn, input, journal });
    const surroundings = { log, heldLease, faults, clock: draft?.clockOf(clock) ?? clock };
    return toTurnInput(surroundings, action, plan, {
      origin,
      messages: at.messages,
      input: input.length > 0 ? input : undefined,
      open: at.open,
      signal: abort,
      makeRoom: (overflow) => requests.makeRoom(overflow),
      record: (facts, isFollowed) => {
        const { underWay } = compactor;
        // An abort ends the wait for a summary; the outcome of that is recorded first.
        return underWay === undefined
          ? journal.record(facts, isFollowed)
          : underWay.then(() => journal.record(facts, isFollowed));
      },
      checkLimits: (progress) => requests.checkLimits(progress),
      onOverflow: (error, shown) => this.#askOnOverflow(error, shown),
      emit,
    });
  }

  /** Leaves out a part that a vendor rejects, from now on and in every process. */
  async #askOnOverflow(
    error: SerializedError,
    messages: readonly ChatMessage[],
  ): Promise<readonly ChatMessage[] | undefined> {
    const { action, plan } = this.#turn;
    const { turnId } = action;
    const { onOverflow } = plan.settings.context;
    const replacement = await this.#reporting(() => onOverflow?.(error, messages));
    if (replacement === undefined || error.rejected === undefined) return replacement;
    await this.#owner.append([{ type: "quarantine", turnId, ...error.rejected }]);
    return replacement;
  }

  async #reporting<T>(hook: () => MaybePromise<T>): Promise<T> {
    try {
      return await hook();
    } catch (error) {
      const { log, faults } = this.#options;
      const { turnId } = this.#turn.action;
      faults.report({ error, where: "hook", sessionId: log.id, turnId });
      throw error;
    }
  }
}
