/**
 * The journal of one turn: turns facts into entries, several in one append if they follow each other at once, and writes the end of the turn
 * only if nothing was posted in the meantime.
 */
import type { Fact, JournalReply } from "@capstan/kernel";
import type {
  Entry,
  FactContext,
  FactPrice,
  MaybePromise,
  OwnedBody,
  SessionHead,
} from "@capstan/log";
import { andThen, entriesOfFacts, isPromise, orElse, RepositoryError } from "@capstan/log";
import { isLeftToOthers } from "../errors/session-error.ts";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { DraftedTurn } from "./drafted-turn.ts";
import type { Envelopes } from "./envelopes.ts";
import { FactPrices } from "./fact-prices.ts";
import type { HeldLease } from "./held-lease.ts";
import type { AppendChoices, SessionLog } from "./session-log.ts";
import type { TurnEnded } from "./whole-turn-end.ts";
import { wholeTurnEnd } from "./whole-turn-end.ts";

/** Finish reason that ends the loop of an agent, and not the turn: another agent continues it. It is never recorded. */
export const handedOff = "handed-off";

/** Entries that open a turn, and wait for its first facts. */
export interface Opening {
  readonly bodies: readonly OwnedBody[];
  readonly head: SessionHead;
  /** Last seq that the turn was planned with. */
  readonly plannedAt: number;
  /** Stores them with the input of the turn, if that is not in the log. */
  readonly draft: DraftedTurn | undefined;
  /** Called once they are stored. */
  onOpened(): void;
}

const none: readonly Fact[] = [];
const noBodies: readonly OwnedBody[] = [];

export interface TurnJournalOptions {
  readonly turnId: string;
  readonly log: SessionLog;
  readonly heldLease: HeldLease;
  readonly plan: TurnPlan;
  readonly envelopes: Envelopes;
  readonly owner: JournalOwner;
}

interface JournalOwner {
  /** Called when a cancel is in the log: the turn has to stop. */
  onChange(): void;
}

export class TurnJournal implements FactContext {
  readonly #options: TurnJournalOptions;
  readonly #prices: FactPrices;
  /** Time of the last call. */
  #now = 0;
  #failure: { readonly thrown: unknown } | undefined;
  #opening: Opening | undefined;
  #isSuperseded = false;
  /** Facts for the next append. */
  #waiting: readonly Fact[] = none;
  /** Entries for the next append, before its facts. */
  #kept: readonly OwnedBody[] = noBodies;
  #flushing: Promise<JournalReply> | undefined;

  /** Without an opening, the log has the start of the turn. */
  constructor(options: TurnJournalOptions, opening?: Opening) {
    this.#options = options;
    this.#opening = opening;
    this.#prices = new FactPrices(options.plan);
  }

  get turnId(): string {
    return this.#options.turnId;
  }

  envelope(): ReturnType<FactContext["envelope"]> {
    return this.#options.envelopes.next();
  }

  price(fact: Fact): FactPrice | undefined {
    return this.#prices.priceOf(fact);
  }

  /** First failure, as thrown: the kernel keeps only its message. */
  get failure(): { readonly thrown: unknown } | undefined {
    return this.#failure;
  }

  /** Whether the turn was abandoned: it ends from outside its loop. */
  get isAbandoned(): boolean {
    const { log, turnId } = this.#options;
    return log.fold.abandonReasonOf(turnId) !== undefined;
  }

  /** Whether something was posted before the turn was opened, so that it did not begin. */
  get isSuperseded(): boolean {
    return this.#isSuperseded;
  }

  /** Facts that are not in the log yet. */
  get waiting(): readonly Fact[] {
    return this.#waiting;
  }

  /** Whether the start of the turn is not in the log yet. */
  get isOpening(): boolean {
    return this.#opening !== undefined;
  }

  /** Whether something waits for the next append. */
  get hasWaiting(): boolean {
    return this.isOpening || this.#waiting.length > 0 || this.#kept.length > 0;
  }

  /** Keeps entries for the next append. They may be lost until then. */
  keep(bodies: readonly OwnedBody[]): void {
    this.#kept = [...this.#kept, ...bodies];
  }

  /**
   * Records facts, or keeps them for the next call if that follows at once. Fails if this process has lost the session, or the turn was
   * abandoned: the kernel then stops.
   */
  record(facts: readonly Fact[], isFollowed = false): MaybePromise<JournalReply> {
    if (this.#flushing !== undefined) {
      return this.#flushing.then(() => this.record(facts, isFollowed));
    }
    // Facts were lost: none may follow them.
    if (this.#failure !== undefined) throw this.#failure.thrown;
    try {
      return this.#record(facts, isFollowed);
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  /** Stores what waits for the next facts, before the owner looks at the log or appends to it. */
  flush(): MaybePromise<JournalReply> {
    if (this.#flushing !== undefined) return this.#flushing;
    if (!this.hasWaiting) return undefined;
    const flushed = this.record(none);
    if (!isPromise(flushed)) return flushed;
    this.#flushing = Promise.resolve(flushed).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** After a failure between two facts: takes no more facts if the turn continues elsewhere, or later, so that it does not end in the error. */
  stopAfter(thrown: unknown): never {
    if (isLeftToOthers(thrown)) return this.#fail(thrown);
    throw thrown;
  }

  #fail(thrown: unknown): never {
    this.#failure ??= { thrown };
    throw thrown;
  }

  #record(facts: readonly Fact[], isFollowed: boolean): MaybePromise<JournalReply> {
    const { log, heldLease } = this.#options;
    // The facts that follow are checked before they are stored, together with these.
    if (isFollowed && !heldLease.isLeaving) {
      this.#waiting = this.#withWaiting(facts);
      return undefined;
    }
    const now = log.now();
    const confirmed = heldLease.confirm(now);
    if (confirmed === undefined) return this.#recordOwned(facts, now);
    return confirmed.then(
      () => this.#recordOwned(facts, log.now()),
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  #withWaiting(facts: readonly Fact[]): readonly Fact[] {
    return this.#waiting.length === 0 ? facts : [...this.#waiting, ...facts];
  }

  #recordOwned(added: readonly Fact[], now: number): MaybePromise<JournalReply> {
    const { heldLease, turnId } = this.#options;
    this.#now = now;
    heldLease.check(now);
    if (this.isAbandoned) throw abandoned(turnId);
    const facts = this.#withWaiting(added);
    if (heldLease.isLeaving) {
      const settled = this.#beforeEffects(facts);
      if (settled.length < facts.length) return this.#leaveAfter(settled);
    }
    const waiting = this.#waiting;
    this.#waiting = none;
    const end = added.at(-1);
    if (end?.type !== "turn_ended") return this.#append(facts);
    // The head at the end follows from a log that has the results, and the start.
    const hasResults = waiting.some(({ type }) => type === "tool_result");
    const isBehind = this.isOpening || this.#kept.length > 0 || hasResults;
    if (!isBehind) return this.#end(facts.slice(0, -1), end);
    return andThen(this.#append(waiting), () => this.#end(added.slice(0, -1), end));
  }

  /** Returns the facts before the first that announces an effect, or all of them while a call is running that must not run twice. */
  #beforeEffects(facts: readonly Fact[]): readonly Fact[] {
    const index = facts.findIndex(({ type }) => type === "attempt" || type === "tool_intent");
    if (index === -1) return facts;
    const before = facts.slice(0, index);
    const settled = before.map((fact) => (fact.type === "tool_result" ? fact.toolCallId : ""));
    const { open = [] } = this.#options.log.fold.transcript.entryPoint();
    const isRunning = open.some(
      ({ state, toolCallId }) => state === "started" && !settled.includes(toolCallId),
    );
    return isRunning ? facts : before;
  }

  /** Releases the lease between two effects. The turn stops here, and another host resumes it. */
  #leaveAfter(settled: readonly Fact[]): MaybePromise<never> {
    const { log, heldLease } = this.#options;
    const recorded = settled.length === 0 ? undefined : this.#append(settled);
    const released = andThen(recorded, () => heldLease.release());
    return andThen(released, () => this.#fail(left(log.id)));
  }

  #append(facts: readonly Fact[]): MaybePromise<undefined> {
    const { log, heldLease } = this.#options;
    const opening = this.#opening;
    const appended = this.#appendWith(opening, this.#entriesOf(facts));
    if (!isPromise(appended)) {
      if (opening !== undefined) this.#open(opening, appended);
      return undefined;
    }
    return appended.then(
      (outcome) => {
        if (opening !== undefined) this.#open(opening, outcome);
        // The response may have taken longer than the lease: the announced effect must not happen here, unless this process still holds the
        // lease.
        const confirmed = heldLease.confirm(log.now());
        if (confirmed !== undefined) return confirmed.then(() => undefined);
        heldLease.check(log.now());
        return undefined;
      },
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  #appendWith(
    opening: Opening | undefined,
    entries: readonly Entry[],
  ): MaybePromise<"appended" | "conflict"> {
    const { log, heldLease } = this.#options;
    if (opening?.draft !== undefined) return opening.draft.append(entries, opening.head);
    // The stored head stays, except at the start and at the end.
    const choices: AppendChoices = { lease: heldLease.lease };
    if (opening === undefined) return log.append(entries, choices);
    // An entry that came in between may have changed the plan.
    if (log.fold.seq !== opening.plannedAt) return "conflict";
    return log.append(entries, { ...choices, head: opening.head, isUpToDate: true });
  }

  /** The turn is open, unless something was posted that comes first. */
  #open(opening: Opening, outcome: "appended" | "conflict"): void {
    if (outcome === "conflict") {
      this.#isSuperseded = true;
      return this.#fail(superseded(this.#options.turnId));
    }
    this.#opening = undefined;
    opening.onOpened();
  }

  #end(before: readonly Fact[], end: TurnEnded, round = 1): MaybePromise<JournalReply> {
    const { log } = this.#options;
    if (round > maxRounds) return this.#fail(tooBusy(log.id));
    if (this.isAbandoned) return this.#fail(abandoned(this.#options.turnId));
    // The turn goes on, with another agent.
    if (end.finishReason === handedOff)
      return before.length === 0 ? undefined : this.#append(before);
    if (this.#isReopened(end)) {
      if (before.length === 0) return "reopen";
      return andThen(this.#append(before), () => "reopen" as const);
    }
    const entries = this.#entriesOf([...before, wholeTurnEnd(log, before, end)]);
    const head = log.fold.headAtEnd(end, log.now());
    const choices = this.#choicesAtEnd(head);
    const appended = orElse(
      () => log.append(entries, choices),
      (thrown) => this.#fail(thrown),
    );
    return andThen(appended, (outcome) => {
      if (outcome === "appended") return undefined;
      return andThen(log.catchUp(), () => this.#end(before, end, round + 1));
    });
  }

  /** The lease is released with the end of the turn, unless the session continues by itself. */
  #choicesAtEnd(head: SessionHead): AppendChoices {
    const { heldLease } = this.#options;
    const choices = { lease: heldLease.lease, head, isUpToDate: true };
    if (head.wakeAt === 0) return choices;
    return { ...choices, onReleased: (lastSeq) => heldLease.onReleased(lastSeq) };
  }

  /** Whether something was posted that the turn has to handle before it may end. */
  #isReopened(end: TurnEnded): boolean {
    const { fold } = this.#options.log;
    if (end.finishReason === "aborted" || end.error !== undefined) return false;
    if (fold.turn?.isCancelled === true) {
      this.#options.owner.onChange();
      return true;
    }
    return end.pending !== undefined && fold.answers().length > 0;
  }

  #entriesOf(facts: readonly Fact[]): Entry[] {
    const { log, envelopes } = this.#options;
    const opening = this.#opening;
    this.#prices.begin(facts, opening === undefined ? log.fold.turn?.cost : undefined);
    envelopes.begin(this.#now);
    const kept = this.#kept;
    if (opening === undefined && kept.length === 0) return entriesOfFacts(facts, this);
    this.#kept = noBodies;
    const bodies = [...(opening?.bodies ?? noBodies), ...kept];
    const first = bodies.map((body): Entry => ({ ...envelopes.next(), ...body }));
    return [...first, ...entriesOfFacts(facts, this)];
  }
}

/** Maximum number of consecutive conflicts with posts before the end of a turn is left to a later attempt. */
const maxRounds = 1_000;

/** Ends the loop of an abandoned turn. No caller sees it. */
function abandoned(turnId: string): Error {
  return new Error(`The turn ${turnId} was abandoned`);
}

/** Ends the loop of a turn that did not begin. No caller sees it. */
function superseded(turnId: string): Error {
  return new Error(`Something was posted before the turn ${turnId} began`);
}

/** Ends the loop of a turn that another host resumes. No caller sees it. */
function left(sessionId: string): RepositoryError {
  const message = `Session "${sessionId}" was left to other hosts`;
  return new RepositoryError("fenced", sessionId, message);
}

function tooBusy(sessionId: string): RepositoryError {
  const message = `Session "${sessionId}" gets posts faster than its turn can end: the turn resumes when the session is claimed again`;
  return new RepositoryError("unavailable", sessionId, message);
}
