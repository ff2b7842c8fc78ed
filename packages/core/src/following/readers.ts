/** The readers of a session's events in this process: turn handles and subscribers. */
import { background, serializeError, toPromise } from "@capstan/kernel";
import type { EventListener, PlacedEvent } from "@capstan/log";
import { chainMark, isPromise } from "@capstan/log";
import type { SessionError } from "../errors/session-error.ts";
import { refused } from "../errors/session-error.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionTurn } from "./session-turn.ts";
import type { ShownCalls } from "@capstan/log";

/** A handle and the turn it follows. */
interface Follower {
  readonly turn: SessionTurn;
  readonly turnId: string;
}

interface Subscription {
  readonly listener: EventListener;
  /** Message of its last failure: a listener that fails with every event is reported once. */
  failure?: string;
  /** Called when the session is gone and no more events will come. */
  readonly onEnd: ((why: SessionError) => void) | undefined;
  /** Undefined if the listener shows no calls to a caller. */
  readonly shown: ShownCalls | undefined;
}

const none: readonly never[] = [];

/**
 * Uses lists, because a session has few handles at a time. Every change makes a new list, so that changes do not affect an event being
 * delivered. By `concat`: a spread would leave room for 17 items in each.
 */
export class Readers {
  #followers: readonly Follower[] = none;
  /** Handles of turns that have not started. */
  #expected: readonly SessionTurn[] = none;
  #handles: readonly SessionTurn[] = none;
  #subscriptions: readonly Subscription[] = none;
  /** Set once no more events will come: the reason. */
  #end: SessionError | undefined;
  /** Set once handles follow nothing here any more: makes the reason. */
  #closed: (() => SessionError) | undefined;
  #isShowing = false;
  readonly #waiting: PlacedEvent[] = [];
  readonly #host: Pick<SessionHost, "report">;
  readonly #sessionId: string;

  /** `host` receives the errors that listeners throw. */
  constructor(host: Pick<SessionHost, "report">, sessionId: string) {
    this.#host = host;
    this.#sessionId = sessionId;
  }

  get isEmpty(): boolean {
    return (
      this.#followers.length === 0 &&
      this.#expected.length === 0 &&
      this.#subscriptions.length === 0
    );
  }

  /** Returns the handle that was given out for this turn. */
  findTurn(id: string): SessionTurn | undefined {
    return this.#handles.find((turn) => turn.id === id);
  }

  /** Remembers the handle of a turn, without delivering events to it. */
  keepTurn(turn: SessionTurn): void {
    this.#handles = this.#handles.concat(turn);
  }

  /** Must be called when the turn has ended. */
  forgetTurn(turn: SessionTurn): void {
    this.#handles = without(this.#handles, turn);
  }

  /** Delivers the turn's events to the handle once it starts. */
  expectTurn(turn: SessionTurn): void {
    this.#expected = this.#expected.concat(turn);
  }

  /** Returns false if the turn has started. */
  forgetExpected(turn: SessionTurn): boolean {
    const wasExpected = this.#expected.includes(turn);
    if (wasExpected) this.#expected = without(this.#expected, turn);
    return wasExpected;
  }

  /** Delivers the events of this turn to the handle from now on. */
  addTurn(turn: SessionTurn, turnId: string): void {
    if (this.#closed !== undefined) return turn.fail(this.#closed());
    this.#followers = this.#followers.concat({ turn, turnId });
  }

  removeTurn(turn: SessionTurn): void {
    this.forgetExpected(turn);
    this.#followers = kept(this.#followers, (follower) => follower.turn !== turn);
  }

  /** Returns a function that unsubscribes. `shown` learns which pending calls the listener gets. */
  add(
    listener: EventListener,
    shown: ShownCalls | undefined,
    onEnd?: (why: SessionError) => void,
  ): () => void {
    // A function may subscribe twice; each call is its own subscription.
    const subscription = { listener, shown, onEnd };
    if (this.#end !== undefined) {
      tellEnd(onEnd, this.#end);
      return () => {};
    }
    this.#subscriptions = this.#subscriptions.concat(subscription);
    return () => {
      this.#subscriptions = without(this.#subscriptions, subscription);
    };
  }

  /** Delivers an event to all readers. Events that a reader causes in the meantime follow, so that all readers get them in one order. */
  show(placed: PlacedEvent): void {
    if (this.#isShowing) {
      this.#waiting.push(placed);
      return;
    }
    this.#isShowing = true;
    try {
      this.#deliver(placed);
      this.#deliverWaiting();
    } finally {
      this.#isShowing = false;
    }
  }

  /** Delivers events of entries that were stored together: events that a reader causes in the meantime follow all of them. */
  showAll(placed: readonly PlacedEvent[]): void {
    if (this.#isShowing) {
      this.#waiting.push(...placed);
      return;
    }
    this.#isShowing = true;
    try {
      for (const each of placed) this.#deliver(each);
      this.#deliverWaiting();
    } finally {
      this.#isShowing = false;
    }
  }

  #deliverWaiting(): void {
    while (this.#waiting.length > 0)
      for (const next of this.#waiting.splice(0)) this.#deliver(next);
  }

  #deliver({ event, cursor }: PlacedEvent): void {
    const { type, turnId } = event;
    if (type === "turn_start" && this.#expected.length > 0) this.#begin(turnId);
    const followers = this.#followers;
    if (type === "turn_end") this.#endTurn(turnId);
    if (type === "history_rewound") this.#failContinuing(event.sessionId);
    for (const follower of followers) if (follower.turnId === turnId) follower.turn.take(event);
    for (const subscription of this.#subscriptions) {
      subscription.shown?.noteEvent(event);
      try {
        const returned: unknown = subscription.listener(event, cursor);
        if (isPromise(returned)) this.#catchLater(subscription, toPromise(returned));
      } catch (thrown) {
        this.#reportOnce(subscription, thrown);
      }
    }
  }

  /** The type allows no async listener, but its rejection must not end the process. Apart from `show`, which must not make a closure per event. */
  #catchLater(subscription: Subscription, returned: Promise<unknown>): void {
    background(returned, (thrown) => this.#reportOnce(subscription, thrown));
  }

  #reportOnce(subscription: Subscription, thrown: unknown): void {
    const { message } = serializeError(thrown);
    if (subscription.failure === message) return;
    subscription.failure = message;
    this.#host.report({ error: thrown, where: "listener", sessionId: this.#sessionId });
  }

  /** Returns the handles that follow this turn now. */
  handlesOf(turnId: string): readonly SessionTurn[] {
    const following = this.#followers.filter((follower) => follower.turnId === turnId);
    return following.map(({ turn }) => turn);
  }

  get hasListeners(): boolean {
    return this.#subscriptions.length > 0;
  }

  fail(thrown: unknown): void {
    // The sender fails the handles whose turn is not in the log yet.
    const followers = this.#followers;
    this.#followers = none;
    for (const { turn } of followers) turn.fail(thrown);
  }

  /** Fails all handles, also later ones: this process stops following the session. */
  close(toReason: () => SessionError): void {
    this.#closed = toReason;
    if (this.#followers.length > 0) this.fail(toReason());
  }

  /** Ends all readers: the session is gone. */
  end(why: SessionError): void {
    this.#end = why;
    this.close(() => why);
    const subscriptions = this.#subscriptions;
    this.#subscriptions = none;
    for (const { onEnd } of subscriptions) tellEnd(onEnd, why);
  }

  #begin(turnId: string): void {
    const turn = this.#expected.find((expected) => expected.id === turnId);
    if (turn !== undefined && this.forgetExpected(turn)) this.addTurn(turn, turnId);
  }

  /** Handles of answers follow a turn that continues the suspended one. Its calls were cut away, so it never starts. */
  #failContinuing(sessionId: string): void {
    const failed = this.#followers.filter(isContinuing);
    this.#followers = kept(this.#followers, (follower) => !isContinuing(follower));
    for (const { turn } of failed) turn.fail(refused(sessionId, "not_pending"));
  }

  #endTurn(turnId: string): void {
    this.#followers = kept(this.#followers, (follower) => follower.turnId !== turnId);
  }
}

/** Whether the handle waits for a turn that continues another. */
function isContinuing({ turn, turnId }: Follower): boolean {
  return !turn.hasBegun && turnId.includes(chainMark);
}

export function tellEnd(onEnd: Subscription["onEnd"], why: SessionError): void {
  try {
    onEnd?.(why);
  } catch {
    // A listener's failure does not concern the session.
  }
}

function without<T>(list: readonly T[], item: T): readonly T[] {
  return kept(list, (other) => other !== item);
}

/** Shares the empty list: most sessions have no reader most of the time. */
function kept<T>(list: readonly T[], isKept: (item: T) => boolean): readonly T[] {
  const rest = list.filter(isKept);
  return rest.length === 0 ? none : rest;
}
