/** The last events of entries, for readers that missed only them. Without an object for each cursor: every session at work has such a list. */
import { compareCursors } from "./cursor.ts";
import type { Cursor } from "./cursor.ts";
import type { PlacedEvent } from "./events-of.ts";
import type { SessionEvent } from "./session-event.ts";

/** Minimum number of events that are kept; up to twice as many are. */
const keptEvents = 128;

export class RecentEvents {
  /** All events after this cursor are here. */
  #from: Cursor;
  #events: SessionEvent[] = [];
  /** For each event the two numbers of its cursor. */
  #numbers: number[] = [];

  constructor(from: Cursor) {
    this.#from = from;
  }

  /** Cursor of the last one. */
  get end(): Cursor {
    const { length } = this.#events;
    return length === 0 ? this.#from : this.#cursorAt(length - 1);
  }

  add({ event, cursor }: PlacedEvent): void {
    this.#events.push(event);
    this.#numbers.push(cursor.seq, cursor.n);
  }

  /** Drops the oldest, if there are too many. */
  limit(): void {
    if (this.#events.length < 2 * keptEvents) return;
    const forgotten = this.#events.length - keptEvents;
    this.#from = this.#cursorAt(forgotten - 1);
    this.#events = this.#events.slice(forgotten);
    this.#numbers = this.#numbers.slice(2 * forgotten);
  }

  /** Undefined if events after the cursor were dropped. */
  after(cursor: Cursor): PlacedEvent[] | undefined {
    if (compareCursors(cursor, this.#from) < 0) return undefined;
    const placed = this.#events.map((event, index) => ({ cursor: this.#cursorAt(index), event }));
    return placed.filter((each) => compareCursors(each.cursor, cursor) > 0);
  }

  #cursorAt(index: number): Cursor {
    // In range: there are two numbers for each event.
    return { seq: this.#numbers[2 * index] as number, n: this.#numbers[2 * index + 1] as number };
  }
}
