/** Frames of one session's events, created once for all readers. */
import type { Cursor, SessionEvent, TreePosition } from "@capstan/log";
import type { ChildStep } from "@capstan/kernel";
import { formatCursor, toWireJson, toWireJsonOfTurn } from "@capstan/log";
import { commonHeaders } from "../guard/public-error.ts";

/** Frames of events, in one of the formats that clients read. */
export interface EventFrames {
  /** Frame for a reader that knows the turn. Empty if the format has none for this event. `tree` is set for a reader of a tree, except for deltas. */
  frame(event: SessionEvent, cursor: Cursor, tree?: TreePosition): string;
  /** Frame for a reader that does not, with the turn's id. */
  frameOfTurn(event: SessionEvent, cursor: Cursor, tree?: TreePosition): string;
}

/** All readers get an event before the next one comes, so only the last frame is kept. */
export class SessionFrames implements EventFrames {
  readonly #toPublic: (event: SessionEvent) => SessionEvent;
  #event: SessionEvent | undefined;
  #frame = "";
  #fullEvent: SessionEvent | undefined;
  #fullFrame = "";

  /** `toPublic` returns the part of an event that clients see. Default all. */
  constructor(toPublic: (event: SessionEvent) => SessionEvent = (event) => event) {
    this.#toPublic = toPublic;
  }

  frame(event: SessionEvent, cursor: Cursor): string {
    if (event !== this.#event) {
      this.#event = event;
      this.#frame = `id: ${cursor.seq}.${cursor.n}\ndata: ${toWireJson(this.#toPublic(event))}\n\n`;
    }
    return this.#frame;
  }

  frameOfTurn(event: SessionEvent, cursor: Cursor): string {
    if (event !== this.#fullEvent) {
      this.#fullEvent = event;
      this.#fullFrame = `id: ${cursor.seq}.${cursor.n}\ndata: ${toWireJsonOfTurn(this.#toPublic(event))}\n\n`;
    }
    return this.#fullFrame;
  }
}

/** Session of a stream. A session that is just being stored has no incarnation yet. */
export interface StreamNames {
  readonly sessionId: string;
  readonly incarnation?: string;
  /** In a stream of a tree: children of the session that are at work. Their starts may be before the stream. */
  readonly children?: readonly ChildStep[];
}

/** Why a stream ends before its turn: the server closes, or the session is gone. */
export type EndReason = "closing" | "deleted";

/** Events of the stream itself, not of the session. */
export type StreamEvent =
  | ({ readonly type: "stream_start" } & StreamNames)
  | { readonly type: "stream_end"; readonly reason: EndReason }
  | ({ readonly type: "execute_complete" } & Readonly<Record<string, unknown>>);

export function streamFrame(event: StreamEvent, cursor?: Cursor | string): string {
  const text = typeof cursor === "object" ? formatCursor(cursor) : cursor;
  const id = text === undefined ? "" : `id: ${text}\n`;
  return `${id}data: ${JSON.stringify(event)}\n\n`;
}

/** Headers of every stream. Proxies that buffer responses, and middleware that compresses them, would hold events back. */
export const streamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  ...commonHeaders,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** How long a client waits before it reconnects. */
export const retryFrame = "retry: 1000\n\n";

/** A comment: it keeps proxies from closing the connection, and readers do not see it. */
export const heartbeat = ":\n\n";
