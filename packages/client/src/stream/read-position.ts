/** Position of a reader in the events of a session. */
import type { Cursor, SessionEvent } from "@capstan/log";
import { compareCursors, startCursor } from "@capstan/log";

export class ReadPosition {
  #cursor: Cursor = startCursor;

  get cursor(): Cursor {
    return this.#cursor;
  }

  moveTo(cursor: Cursor): void {
    this.#cursor = cursor;
  }

  /** Returns whether the event is new to the reader, and marks it as seen. */
  takes({ type }: SessionEvent, cursor: Cursor): boolean {
    const isNew = compareCursors(cursor, this.#cursor) > 0;
    // A snapshot has the live parts after an entry, and another process may have counted fewer of them.
    const isRestored = type === "snapshot" && cursor.seq === this.#cursor.seq;
    if (isNew) this.#cursor = cursor;
    return isNew || isRestored;
  }
}
