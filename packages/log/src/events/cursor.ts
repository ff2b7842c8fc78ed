/** Positions in the stream of a session's events: the nth event at or after an entry. */
import type { SessionEvent } from "./session-event.ts";

/** Position in the events of a session: an entry, and the event within it. */
export interface Cursor {
  readonly seq: number;
  /** The events of the entry are 1 … k; live events continue from there. 0 is before all of them. */
  readonly n: number;
}

/** Cursor before all events. */
export const startCursor: Cursor = { seq: 0, n: 0 };

/** Gets each event with its cursor. */
export type EventListener = (event: SessionEvent, cursor: Cursor) => void;

/** Formats a cursor as text, which `parseCursor` reads. */
export function formatCursor({ seq, n }: Cursor): string {
  return `${seq}.${n}`;
}

/** Parses a cursor. Undefined if the text is not one. */
export function parseCursor(text: string): Cursor | undefined {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  return { seq: Number(match[1]), n: Number(match[2]) };
}

/** Compares two cursors: negative if `a` is before `b`. */
export function compareCursors(a: Cursor, b: Cursor): number {
  return a.seq - b.seq || a.n - b.n;
}
