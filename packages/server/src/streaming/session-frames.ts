/** The frames of one session's events: made once, however many read them. */
import type { AgentEvent } from "@capstan/kernel";
import type { Cursor } from "@capstan/log";
import { formatCursor, toWireJson, toWireJsonOfTurn } from "@capstan/log";

/** All readers of a session are told of an event before the next one comes, so the last frame is all that has to be kept. */
export class SessionFrames {
  readonly #toPublic: (event: AgentEvent) => AgentEvent;
  #event: AgentEvent | undefined;
  #frame = "";
  #fullEvent: AgentEvent | undefined;
  #fullFrame = "";

  /** `toPublic` gives what clients see of an event. Default all. */
  constructor(toPublic: (event: AgentEvent) => AgentEvent = (event) => event) {
    this.#toPublic = toPublic;
  }

  /** For a reader that knows the turn. */
  frame(event: AgentEvent, cursor: Cursor): string {
    if (event !== this.#event) {
      this.#event = event;
      this.#frame = `id: ${cursor.seq}.${cursor.n}\ndata: ${toWireJson(this.#toPublic(event))}\n\n`;
    }
    return this.#frame;
  }

  /** For one that has to be told. */
  frameOfTurn(event: AgentEvent, cursor: Cursor): string {
    if (event !== this.#fullEvent) {
      this.#fullEvent = event;
      this.#fullFrame = `id: ${cursor.seq}.${cursor.n}\ndata: ${toWireJsonOfTurn(this.#toPublic(event))}\n\n`;
    }
    return this.#fullFrame;
  }
}

/** Which session a stream is of. One that is only being stored has no incarnation yet. */
export interface StreamNames {
  readonly sessionId: string;
  readonly incarnation?: string;
}

/** Frames of the stream itself, and not of the session. */
export type StreamEvent =
  | ({ readonly type: "stream_start" } & StreamNames)
  | { readonly type: "stream_end"; readonly reason: "closing" | "deleted" }
  | ({ readonly type: "execute_complete" } & Readonly<Record<string, unknown>>);

export function streamFrame(event: StreamEvent, cursor?: Cursor): string {
  const id = cursor === undefined ? "" : `id: ${formatCursor(cursor)}\n`;
  return `${id}data: ${JSON.stringify(event)}\n\n`;
}

/** How long a client waits before it connects again. */
export const retryFrame = "retry: 1000\n\n";

/** A comment: it keeps proxies from closing the line, and no reader sees it. */
export const heartbeat = ":\n\n";
