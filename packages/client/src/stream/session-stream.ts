/** Event stream of one session: connected while there is a reader, and resumed at its cursor after a cut. */
import type { ChildStep } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { Cursor, PlacedEvent, SessionEvent, WireEvent } from "@capstan/log";
import { WireReader, compareCursors, formatCursor, parseCursor, startCursor } from "@capstan/log";
import { ClientError } from "../errors/client-error.ts";
import type { Connection } from "./connection.ts";
import { notOurs, toClientError, unreachable } from "./connection.ts";
import type { Frame } from "./read-frames.ts";
import { readFrames } from "./read-frames.ts";
import { Silence } from "./silence.ts";

export interface StreamListener {
  /** Set for a stream of a tree of sessions. */
  readonly tree?: TreeSource;
  /** Incarnation of the followed session, once it is known. */
  readonly incarnation: string | undefined;
  /** `children` are at work, in a stream of a tree. */
  onStart(
    sessionId: string,
    incarnation: string | undefined,
    children?: readonly ChildStep[],
  ): void;
  onEvent(event: SessionEvent, cursor: Cursor): void;
  /** Called after a while without events: the session may be gone. */
  onQuiet(): void;
  /** Called when no server was reachable within the allowed attempts, or the session is not available. */
  onLost(failure: ClientError): void;
}

/** Reads the frames of a tree instead of those of a session, and knows where the stream continues. */
export interface TreeSource {
  /** Composite cursor. */
  readonly cursor: string;
  /** Undefined if the event was seen. */
  read(event: WireEvent, id: string | undefined): PlacedEvent | undefined;
}

/** Frames of the stream itself. */
type StreamFrame =
  | {
      readonly type: "stream_start";
      readonly sessionId: string;
      readonly incarnation?: string;
      readonly children?: readonly ChildStep[];
    }
  | { readonly type: "stream_end"; readonly reason: string }
  | { readonly type: "execute_complete" };

export class SessionStream {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #listener: StreamListener;
  #cursor: Cursor = startCursor;
  /** Kept when the stream is cut: it has the text so far. */
  #reader: WireReader | undefined;
  #uses = 0;
  /** Aborts the current connection. */
  #source: AbortController | undefined;
  #isRunning = false;
  /** Response that streams the events of a turn. */
  #ride: Response | undefined;
  #isRiding = false;
  #hasHeard = false;
  #opening: PromiseWithResolvers<void> | undefined;

  constructor(connection: Connection, path: string, listener: StreamListener) {
    this.#connection = connection;
    this.#path = path;
    this.#listener = listener;
  }

  /** Whether there is a reader. */
  get isUsed(): boolean {
    return this.#uses > 0;
  }

  /** Resolves once the pending connection is open, or has failed: live events are seen from then on. */
  async opened(): Promise<void> {
    if (this.isUsed) await this.#opening?.promise;
  }

  /**
   * Connects if needed. Returns a function to call when the events are no longer needed. `response` may stream the next ones.
   */
  use(response?: Response): () => void {
    // A connection without a reader is about to end, and this one is next.
    if (this.isUsed) response?.body?.cancel().catch(() => {});
    else this.#ride ??= response;
    this.#uses += 1;
    this.#start();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#uses -= 1;
      // A reader that arrives in the same tick keeps the connection.
      queueMicrotask(() => {
        // A turn's own response is about to end by itself.
        if (this.#uses === 0 && !this.#isRiding) this.#source?.abort();
      });
    };
  }

  /** Continues from this cursor, even if it is earlier: readers skip what they have seen. */
  moveTo(cursor: Cursor): void {
    if (compareCursors(cursor, this.#cursor) === 0) return;
    this.#cursor = cursor;
    if (!this.#isRunning) return;
    // The response is not read any more, so a failure to stop it changes nothing.
    this.#ride?.body?.cancel().catch(() => {});
    this.#ride = undefined;
    this.#source?.abort();
  }

  /** Forgets a session that is gone. */
  reset(): void {
    this.moveTo(startCursor);
    this.#reader = undefined;
  }

  /** Restores live parts after the cursor that did not come through this stream. */
  restore(
    sessionId: string,
    live: Extract<WireEvent, { readonly type: "snapshot" }>,
  ): SessionEvent {
    return this.#readerOf(sessionId).read(live);
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    background(this.#run(), (thrown) => {
      this.#isRunning = false;
      this.#listener.onLost(toClientError(thrown));
    });
  }

  async #run(): Promise<void> {
    let attempt = 0;
    while (this.#uses > 0) {
      attempt += 1;
      this.#hasHeard = false;
      this.#source = new AbortController();
      this.#opening = Promise.withResolvers();
      const { signal } = this.#source;
      try {
        await this.#read(this.#ride ?? (await this.#open(signal)), signal);
        attempt = 0;
      } catch (thrown) {
        this.#opening.resolve();
        const failure = toClientError(thrown);
        // There is no reader, or another cursor was requested.
        if (signal.aborted) attempt = 0;
        else if (!failure.isPassing) throw failure;
        else {
          if (this.#hasHeard) attempt = 1;
          if (attempt === this.#connection.maxAttempts) this.#listener.onLost(failure);
          await this.#connection.rest(attempt, failure, signal);
        }
      }
    }
    // In the same tick as the last check of the readers.
    this.#isRunning = false;
  }

  #open(signal: AbortSignal): Promise<Response> {
    const { tree } = this.#listener;
    const headers = { "last-event-id": tree?.cursor ?? formatCursor(this.#cursor) };
    const path = `${this.#path}/events${queryOf(this.#listener, tree && { tree: "1" })}`;
    return this.#connection.request("GET", path, { headers, signal });
  }

  /** Reads the stream to its end. Fails if it is cut. */
  async #read(response: Response, signal: AbortSignal): Promise<void> {
    this.#isRiding = this.#ride !== undefined;
    this.#ride = undefined;
    const { body } = response;
    const type = response.headers.get("content-type");
    if (body === null || type?.startsWith("text/event-stream") !== true) throw notOurs(response);
    const silence = new Silence(
      this.#connection.silenceMs,
      () => this.#source?.abort(),
      () => this.#listener.onQuiet(),
    );
    try {
      for await (const frame of readFrames(body, signal, () => silence.onBytes())) {
        silence.onFrame();
        if (this.#take(frame)) return;
      }
    } finally {
      silence.close();
      this.#isRiding = false;
    }
    if (!signal.aborted) throw unreachable("The rest of the stream", undefined);
  }

  /** Returns whether it was the last frame. */
  #take({ id, data }: Frame): boolean {
    // A Capstan server sends nothing else here.
    const said = JSON.parse(data) as StreamFrame | WireEvent;
    switch (said.type) {
      case "stream_start":
        this.#opening?.resolve();
        this.#readerOf(said.sessionId);
        this.#listener.onStart(said.sessionId, said.incarnation, said.children);
        return false;
      case "execute_complete":
        return true;
      case "stream_end":
        return this.#end(said.reason);
      default: {
        this.#hasHeard = true;
        const { tree } = this.#listener;
        const placed = tree === undefined ? this.#place(said, id) : tree.read(said, id);
        if (placed !== undefined) this.#listener.onEvent(placed.event, placed.cursor);
        return false;
      }
    }
  }

  #place(said: WireEvent, id: string | undefined): PlacedEvent | undefined {
    const cursor = id === undefined ? undefined : parseCursor(id);
    const event = this.#reader?.read(said);
    if (cursor === undefined || event === undefined) return undefined;
    this.#cursor = cursor;
    return { event, cursor };
  }

  #end(reason: string): never {
    if (reason === "deleted") {
      throw new ClientError("not_found", "The session was deleted", { status: 404 });
    }
    this.#connection.moveOn();
    throw unreachable("The server, which is being shut down,", undefined);
  }

  #readerOf(sessionId: string): WireReader {
    return (this.#reader ??= new WireReader(sessionId));
  }
}

/** Query with these parameters that names the session by its incarnation. */
export function queryOf(
  { incarnation }: Pick<StreamListener, "incarnation">,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const all = { ...parameters, ...(incarnation !== undefined && { incarnation }) };
  const query = new URLSearchParams(all).toString();
  return query === "" ? "" : `?${query}`;
}
