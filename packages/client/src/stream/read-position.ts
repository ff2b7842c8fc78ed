/** How far a reader is in the events of a session. */
import type { AgentEvent } from "@capstan/kernel";
import type { Cursor } from "@capstan/log";
import { compareCursors, startCursor } from "@capstan/log";

export class ReadPosition {
  #cursor: Cursor = startCursor;

  get cursor(): Cursor {
    return this.#cursor;
  }

  moveTo(cursor: Cursor): void {
    this.#cursor = cursor;
  }

  /** Whether the reader has not seen this; from then on it has. */
  takes({ type }: AgentEvent, cursor: Cursor): boolean {
    const isNew = compareCursors(cursor, this.#cursor) > 0;
    // A snapshot says what was live behind an entry, and another process may have counted less of it.
    const isRestored = type === "snapshot" && cursor.seq === this.#cursor.seq;
    if (isNew) this.#cursor = cursor;
    return isNew || isRestored;
  }
}
