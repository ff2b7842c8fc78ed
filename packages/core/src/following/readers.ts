/** Who gets the events of a session in this process: handles of turns, and subscribers. */
import { background, serializeError, toPromise } from "@capstan/kernel";
import type { EventListener, Cursor, PlacedEvent } from "@capstan/log";
import { compareCursors, isPromise } from "@capstan/log";
import type { SessionError } from "../errors/session-error.ts";
import type { SessionTurn } from "./session-turn.ts";

/** A handle and the turn that it follows. */
interface Follower {
  readonly turn: SessionTurn;
  readonly turnId: string;
}

interface Subscription {
  readonly listener: EventListener;
  /** Message of its last failure: a listener that fails with every event is reported once. */
  failure?: string;
  /** The session is gone: nothing more will come. */
  readonly onEnd: ((why: SessionError) => void) | undefined;
}

/** Lists, as a session has few handles at a time; another one with every change, so that nobody is in the way of an event that is being shown. */
export class Readers {
  #followers: readonly Follower[] = [];
  /** Of turns that have not started. */
  #expected: readonly SessionTurn[] = [];
  #handles: readonly SessionTurn[] = [];
  #subscriptions: readonly Subscription[] = [];
  /** Why nothing more will come, once that is so. */
  #end: SessionError | undefined;
  readonly #onThrown: (thrown: unknown) => void;

  /** `onThrown` gets what a listener throws. */
  constructor(onThrown: (thrown: unknown) => void) {
    this.#onThrown = onThrown;
  }

  get isEmpty(): boolean {
    return (
      this.#followers.length === 0 &&
      this.#expected.length === 0 &&
      this.#subscriptions.length === 0
    );
  }

  /** The handle that was given out for this turn. */
  findTurn(id: string): SessionTurn | undefined {
    return this.#handles.find((turn) => turn.id === id);
  }

  /** Remembers the handle of a turn. It gets no events by that. */
  keepTurn(turn: SessionTurn): void {
    this.#handles = [...this.#handles, turn];
  }

  /** To be called when it is over. */
  forgetTurn(turn: SessionTurn): void {
    this.#handles = without(this.#handles, turn);
  }

  /** The handle gets the events of its turn, if it starts. */
  expectTurn(turn: SessionTurn): void {
    this.#expected = [...this.#expected, turn];
  }

  /** False if the turn has started. */
  forgetExpected(turn: SessionTurn): boolean {
    const wasExpected = this.#expected.includes(turn);
    if (wasExpected) this.#expected = without(this.#expected, turn);
    return wasExpected;
  }

  /** From now on the handle gets the events of this turn. */
  addTurn(turn: SessionTurn, turnId: string): void {
    if (this.#end !== undefined) return turn.fail(this.#end);
    this.#followers = [...this.#followers, { turn, turnId }];
  }

  removeTurn(turn: SessionTurn): void {
    this.forgetExpected(turn);
    this.#followers = this.#followers.filter((follower) => follower.turn !== turn);
  }

  /** Returns how to stop. */
  add(listener: EventListener, onEnd?: (why: SessionError) => void): () => void {
    // The same function may subscribe twice: each is its own subscription.
    const subscription = { listener, onEnd };
    if (this.#end !== undefined) {
      tellEnd(onEnd, this.#end);
      return () => {};
    }
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      this.#subscriptions = without(this.#subscriptions, subscription);
    };
  }

  show({ event, cursor }: PlacedEvent): void {
    if (event.type === "turn_start" && this.#expected.length > 0) this.#begin(event.turnId);
    const followers = this.#followers;
    if (event.type === "turn_end") this.#endTurn(event.turnId);
    for (const { turn, turnId } of followers) if (turnId === event.turnId) turn.take(event);
    for (const subscription of this.#subscriptions) {
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
    this.#onThrown(thrown);
  }

  /** Handles that follow this turn now, or wait for it to start. */
  handlesOf(turnId: string): readonly SessionTurn[] {
    const following = this.#followers.filter((follower) => follower.turnId === turnId);
    return following.map(({ turn }) => turn);
  }

  get hasListeners(): boolean {
    return this.#subscriptions.length > 0;
  }

  fail(thrown: unknown): void {
    // A handle whose turn is not in the log yet is told by whoever brings it there.
    const followers = this.#followers;
    this.#followers = [];
    for (const { turn } of followers) turn.fail(thrown);
  }

  /** The session is gone: no reader gets anything more. */
  end(why: SessionError): void {
    this.#end = why;
    this.fail(why);
    const subscriptions = this.#subscriptions;
    this.#subscriptions = [];
    for (const { onEnd } of subscriptions) tellEnd(onEnd, why);
  }

  #begin(turnId: string): void {
    const turn = this.#expected.find((expected) => expected.id === turnId);
    if (turn !== undefined && this.forgetExpected(turn)) this.addTurn(turn, turnId);
  }

  #endTurn(turnId: string): void {
    this.#followers = this.#followers.filter((follower) => follower.turnId !== turnId);
  }
}

export function tellEnd(onEnd: Subscription["onEnd"], why: SessionError): void {
  try {
    onEnd?.(why);
  } catch {
    // A listener's failure is its own.
  }
}

function without<T>(list: readonly T[], item: T): readonly T[] {
  return list.filter((other) => other !== item);
}

/** Passes over what a reader at this place has seen: a process that joins late may number live events behind the same entry again. */
export function onlyBehind(listener: EventListener, after: Cursor | undefined): EventListener {
  if (after === undefined) return listener;
  let last = after;
  return (event, cursor) => {
    const isNew = compareCursors(cursor, last) > 0;
    // A snapshot says what was live behind an entry, and may stand at a place that was seen; but not behind an older entry.
    const isRestored = event.type === "snapshot" && cursor.seq === last.seq;
    if (!isNew && !isRestored) return;
    if (isNew) last = cursor;
    listener(event, cursor);
  };
}
