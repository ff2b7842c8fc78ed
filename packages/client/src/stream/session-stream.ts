/** The events of one session over HTTP: connected while somebody needs them, and taken up where they were cut. */
import { longestTimerMs } from "./pause.ts";
import type { AgentEvent } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { Cursor, WireEvent } from "@capstan/log";
import { WireReader, compareCursors, formatCursor, parseCursor, startCursor } from "@capstan/log";
import { ClientError } from "../errors/client-error.ts";
import type { Connection } from "./connection.ts";
import { notOurs, toClientError, unreachable } from "./connection.ts";
import type { Frame } from "./read-frames.ts";
import { readFrames } from "./read-frames.ts";

export interface StreamListener {
  /** Incarnation of the followed session, once it is known. */
  readonly incarnation: string | undefined;
  onStart(sessionId: string, incarnation: string | undefined): void;
  onEvent(event: AgentEvent, cursor: Cursor): void;
  /** Nothing was said for a while: is it still there? */
  onQuiet(): void;
  /** No server could be reached for as long as one is waited for, or the session is not to be had. */
  onLost(failure: ClientError): void;
}

/** Frames of the stream itself. */
type StreamFrame =
  | {
      readonly type: "stream_start";
      readonly sessionId: string;
      readonly incarnation?: string;
    }
  | { readonly type: "stream_end"; readonly reason: string }
  | { readonly type: "execute_complete" };

export class SessionStream {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #listener: StreamListener;
  #cursor: Cursor = startCursor;
  /** Kept when the stream is cut: it knows what was said so far. */
  #reader: WireReader | undefined;
  #uses = 0;
  /** Of the connection under way. */
  #source: AbortController | undefined;
  #isRunning = false;
  /** A response that brings the events of a turn along. */
  #ride: Response | undefined;
  #isRiding = false;
  #hasHeard = false;
  #opening: PromiseWithResolvers<void> | undefined;

  constructor(connection: Connection, path: string, listener: StreamListener) {
    this.#connection = connection;
    this.#path = path;
    this.#listener = listener;
  }

  /** Whether somebody gets events. */
  get isUsed(): boolean {
    return this.#uses > 0;
  }

  /** Resolves when a connection that is under way has come to be, or has failed: what is live is seen from then on. */
  async opened(): Promise<void> {
    if (this.isUsed) await this.#opening?.promise;
  }

  /** Connects, if it is not connected. Returns how to say that the events are not needed any more. */
  use(): () => void {
    this.#uses += 1;
    this.#start();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#uses -= 1;
      // Whoever comes next in the same breath goes on with the same connection.
      queueMicrotask(() => {
        // One that comes with a turn is about to end by itself.
        if (this.#uses === 0 && !this.#isRiding) this.#source?.abort();
      });
    };
  }

  /** The same with a response that streams the next events by itself. */
  useWith(response: Response): () => void {
    // One that nobody uses is about to end, and this comes next.
    if (this.isUsed) response.body?.cancel().catch(() => {});
    else this.#ride = response;
    return this.use();
  }

  /** Goes on from here; back, if it was further: readers know what they have seen. */
  moveTo(cursor: Cursor): void {
    if (compareCursors(cursor, this.#cursor) === 0) return;
    this.#cursor = cursor;
    if (!this.#isRunning) return;
    // The response is not read any more, so a failure to stop it changes nothing.
    this.#ride?.body?.cancel().catch(() => {});
    this.#ride = undefined;
    this.#source?.abort();
  }

  /** The session that was read is gone. */
  reset(): void {
    this.moveTo(startCursor);
    this.#reader = undefined;
  }

  /** What is live behind the cursor, where it did not come by this stream. */
  restore(sessionId: string, live: Extract<WireEvent, { readonly type: "snapshot" }>): AgentEvent {
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
        // Nobody needs it, or another place was asked for.
        if (signal.aborted) attempt = 0;
        else if (!failure.isPassing) throw failure;
        else {
          if (this.#hasHeard) attempt = 1;
          if (attempt === this.#connection.maxAttempts) this.#listener.onLost(failure);
          await this.#connection.rest(attempt, failure, signal);
        }
      }
    }
    // In the same breath as the last look at the uses.
    this.#isRunning = false;
  }

  #open(signal: AbortSignal): Promise<Response> {
    const headers = { "last-event-id": formatCursor(this.#cursor) };
    const path = `${this.#path}/events${queryOf(this.#listener)}`;
    return this.#connection.request("GET", path, { headers, signal });
  }

  /** To its end. Fails where it is cut. */
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

  /** Whether it was the last one. */
  #take({ id, data }: Frame): boolean {
    // Servers of this family say nothing else here.
    const said = JSON.parse(data) as StreamFrame | WireEvent;
    switch (said.type) {
      case "stream_start":
        this.#opening?.resolve();
        this.#readerOf(said.sessionId);
        this.#listener.onStart(said.sessionId, said.incarnation);
        return false;
      case "execute_complete":
        return true;
      case "stream_end":
        return this.#end(said.reason);
      default: {
        const cursor = id === undefined ? undefined : parseCursor(id);
        const event = this.#reader?.read(said);
        if (cursor === undefined || event === undefined) return false;
        this.#hasHeard = true;
        this.#cursor = cursor;
        this.#listener.onEvent(event, cursor);
        return false;
      }
    }
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

/** The query that states which session is meant, with these parameters. */
export function queryOf(
  { incarnation }: Pick<StreamListener, "incarnation">,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const all = { ...parameters, ...(incarnation !== undefined && { incarnation }) };
  const query = new URLSearchParams(all).toString();
  return query === "" ? "" : `?${query}`;
}

/** Looks from time to time whether anything was heard. */
class Silence {
  readonly #timer: ReturnType<typeof setInterval>;
  #bytes = 0;
  #frames = 0;

  /** `onDead`: not even a comment came. `onQuiet`: nothing but comments. */
  constructor(ms: number, onDead: () => void, onQuiet: () => void) {
    this.#timer = setInterval(
      () => {
        if (this.#bytes === 0) onDead();
        else if (this.#frames === 0) onQuiet();
        this.#bytes = 0;
        this.#frames = 0;
      },
      Math.min(ms, longestTimerMs),
    );
  }

  onBytes(): void {
    this.#bytes += 1;
  }

  onFrame(): void {
    this.#frames += 1;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
