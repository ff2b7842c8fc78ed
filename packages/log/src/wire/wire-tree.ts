/** Events of a tree of sessions as sent over a wire: each with its cursor, and with its ids if they differ from those before it. */
import type { Cursor } from "../events/cursor.ts";
import { formatCursor, parseCursor } from "../events/cursor.ts";
import type { PlacedEvent } from "../events/events-of.ts";
import type { SessionEvent } from "../events/session-event.ts";
import type { WireEvent } from "./wire-events.ts";
import { WireReader, toWireJson, toWireJsonOfTurn } from "./wire-events.ts";

/** `at` is the cursor in the event's own session. `sessionId` is set with `turnId`, if either differs from the previous event's. */
export type WireTreeEvent = WireEvent & { readonly at: string; readonly sessionId?: string };

/** Returns the event as JSON, for a reader that last saw another event of this turn. */
export function toTreeJson(event: SessionEvent, cursor: Cursor): string {
  return `${toWireJson(event).slice(0, -1)},"at":"${formatCursor(cursor)}"}`;
}

/** Returns the event with the ids of its session and its turn. */
export function toTreeJsonOfTurn(event: SessionEvent, cursor: Cursor): string {
  const ids = `"sessionId":${JSON.stringify(event.sessionId)}`;
  return `${toWireJsonOfTurn(event).slice(0, -1)},${ids},"at":"${formatCursor(cursor)}"}`;
}

/** Rebuilds the events of a tree, in order. It is kept when a stream is lost and resumed. */
export class WireTreeReader {
  readonly #readers = new Map<string, WireReader>();
  #sessionId: string;

  constructor(rootId: string) {
    this.#sessionId = rootId;
  }

  /** Undefined if the cursor is missing or invalid: no server of this family sends that. */
  read({ at, sessionId, ...wire }: WireTreeEvent): PlacedEvent | undefined {
    if (sessionId !== undefined) this.#sessionId = sessionId;
    const cursor = parseCursor(at);
    if (cursor === undefined) return undefined;
    let reader = this.#readers.get(this.#sessionId);
    if (reader === undefined) {
      reader = new WireReader(this.#sessionId);
      this.#readers.set(this.#sessionId, reader);
    }
    const event = reader.read(wire);
    // A child that remembers starts its next turn with the ids again.
    if (event.type === "child_ended") this.#readers.delete(event.childId);
    return { event, cursor };
  }
}
