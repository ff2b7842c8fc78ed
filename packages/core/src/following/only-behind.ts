/** Listeners that have seen events before. */
import type { Cursor, EventListener } from "@capstan/log";
import { compareCursors } from "@capstan/log";

/** Skips events that a reader at this cursor has seen: a process that joins late may reuse numbers for live events after the same entry. */
export function onlyBehind(listener: EventListener, after: Cursor | undefined): EventListener {
  // A reader at the start has seen nothing.
  if (after === undefined || after.seq === 0) return listener;
  let last = after;
  return (event, cursor) => {
    const isNew = compareCursors(cursor, last) > 0;
    // A snapshot holds the live state after an entry, so its cursor may have been seen; but it must not follow an older entry.
    const isRestored = event.type === "snapshot" && cursor.seq === last.seq;
    if (!isNew && !isRestored) return;
    if (isNew) last = cursor;
    listener(event, cursor);
  };
}
