/** Who gets the events of a session in this process: handles of turns, and subscribers. */
import type { AgentEvent } from "@capstan/kernel";
import type { Cursor, PlacedEvent } from "@capstan/log";
import { compareCursors } from "@capstan/log";
import { background } from "./background.ts";
import type { SessionTurn } from "./session-turn.ts";

export type EventListener = (event: AgentEvent, cursor: Cursor) => void;

export class Readers {
  /** By the id of the turn that they follow. */
  readonly #turns = new Map<string, readonly SessionTurn[]>();
  /** Of turns that have not started, by the id that they will have. */
  readonly #expected = new Map<string, SessionTurn>();
  readonly #handles = new Map<string, SessionTurn>();
  /** Another list with every change: whoever comes or goes while an event is shown is not in its way. */
  #listeners: readonly EventListener[] = [];
  /** The handles of the turn whose event was shown last: most events are of the same one as those before. */
  #latest:
    | { readonly turnId: string; readonly turns: readonly SessionTurn[] | undefined }
    | undefined;

  get isEmpty(): boolean {
    return this.#turns.size === 0 && this.#expected.size === 0 && this.#listeners.length === 0;
  }

  /** The handle that was given out for this turn. */
  findTurn(id: string): SessionTurn | undefined {
    const turn = this.#handles.get(id);
    return turn?.isOver === true ? undefined : turn;
  }

  /** Remembers the handle of a turn until it is over. It gets no events by that. */
  keepTurn(turn: SessionTurn): void {
    this.#handles.set(turn.id, turn);
    const forget = (): void => {
      if (this.#handles.get(turn.id) === turn) this.#handles.delete(turn.id);
    };
    background(turn.response.then(forget), () => {});
  }

  /** The handle gets the events of its turn, if it starts. */
  expectTurn(turn: SessionTurn): void {
    this.#expected.set(turn.id, turn);
  }

  /** False if the turn has started. */
  forgetExpected(turn: SessionTurn): boolean {
    if (this.#expected.get(turn.id) !== turn) return false;
    return this.#expected.delete(turn.id);
  }

  /** From now on the handle gets the events of this turn. */
  addTurn(turn: SessionTurn, turnId: string): void {
    this.#set(turnId, [...(this.#turns.get(turnId) ?? []), turn]);
  }

  removeTurn(turn: SessionTurn): void {
    this.forgetExpected(turn);
    for (const [turnId, turns] of this.#turns) {
      const others = turns.filter((other) => other !== turn);
      if (others.length < turns.length) this.#set(turnId, others.length === 0 ? undefined : others);
    }
  }

  /** Returns how to stop. */
  add(listener: EventListener): () => void {
    // The same function may subscribe twice: each is its own subscription.
    const own: EventListener = (event, cursor) => listener(event, cursor);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  show({ event, cursor }: PlacedEvent): void {
    if (event.type === "turn_start" && this.#expected.size > 0) this.#begin(event.turnId);
    const turns = this.#turnsOf(event.turnId);
    if (turns !== undefined) {
      if (event.type === "turn_end") this.#set(event.turnId, undefined);
      for (const turn of turns) turn.take(event);
    }
    for (const listener of this.#listeners) {
      try {
        listener(event, cursor);
      } catch {
        // A listener's failure is its own.
      }
    }
  }

  #turnsOf(turnId: string): readonly SessionTurn[] | undefined {
    if (this.#latest?.turnId === turnId) return this.#latest.turns;
    const turns = this.#turns.get(turnId);
    this.#latest = { turnId, turns };
    return turns;
  }

  #set(turnId: string, turns: readonly SessionTurn[] | undefined): void {
    this.#latest = undefined;
    if (turns === undefined) this.#turns.delete(turnId);
    else this.#turns.set(turnId, turns);
  }

  #begin(turnId: string): void {
    const turn = this.#expected.get(turnId);
    if (turn === undefined) return;
    this.#expected.delete(turnId);
    this.addTurn(turn, turnId);
  }

  fail(thrown: unknown): void {
    // A handle whose turn is not in the log yet is told by whoever brings it there.
    const turns = [...this.#turns.values()].flat();
    this.#turns.clear();
    this.#latest = undefined;
    for (const turn of turns) turn.fail(thrown);
  }
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
