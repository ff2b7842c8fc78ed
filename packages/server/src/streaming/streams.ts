/** Open streams: limits per principal, and heartbeats. */
import { ReleasingMap } from "@capstan/log";
import type { Clock } from "@capstan/core";
import type { UnreadCount } from "./event-reader.ts";
import type { ServerLimits } from "../guard/limits.ts";
import { ServerError } from "../guard/server-error.ts";
import type { EndReason } from "./session-frames.ts";

/** Reader of an open stream. */
export interface StreamMember {
  /** Sends a heartbeat, or disconnects a reader that has accepted nothing for this long. */
  beat(now: number, stalledMs: number): void;
  /** Tells the reason and closes the stream. */
  endEarly(reason: EndReason): void;
  /** Disconnects the reader. */
  cut(): void;
}

interface OpenStream {
  readonly principal: string;
  /** Undefined for streams that belong to no session. */
  readonly sessionId: string | undefined;
  readonly reader: StreamMember;
}

export class Streams {
  readonly #limits: ServerLimits;
  readonly #clock: Clock;
  /** By number, in the order in which they were opened. */
  readonly #open = new ReleasingMap<number, OpenStream>();
  #opened = 0;
  readonly #counts = new Map<string, number>();
  /** Characters buffered for all readers. */
  readonly unread: UnreadCount;
  #cancelBeat: (() => void) | undefined;

  constructor(limits: ServerLimits, clock: Clock) {
    this.#limits = limits;
    this.unread = { chars: 0, maxChars: limits.maxUnreadCharsInAll };
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Counts a stream before it is opened. Fails with `too_many_streams`. Returns a function that releases it. */
  admit(principal: string): () => void {
    const count = this.#counts.get(principal) ?? 0;
    const { streamsPerPrincipal } = this.#limits;
    if (count >= streamsPerPrincipal) {
      const message = `The limit of ${count} open streams is reached: close one`;
      throw new ServerError("too_many_streams", message, { headers: { "retry-after": "1" } });
    }
    this.#counts.set(principal, count + 1);
    return () => {
      const left = (this.#counts.get(principal) ?? 1) - 1;
      if (left === 0) this.#counts.delete(principal);
      else this.#counts.set(principal, left);
    };
  }

  /** Returns a function that removes the stream. */
  add(principal: string, sessionId: string | undefined, reader: StreamMember): () => void {
    const number = (this.#opened += 1);
    this.#open.set(number, { principal, sessionId, reader });
    if (this.#cancelBeat === undefined) this.#beatLater();
    return () => this.#open.delete(number);
  }

  /** Sends the reason and closes the streams: all, or those of a session. */
  end(reason: EndReason, sessionId?: string): void {
    for (const stream of this.#open.values()) {
      if (sessionId === undefined || stream.sessionId === sessionId) stream.reader.endEarly(reason);
    }
  }

  /** Disconnects readers that have not read their last frame. */
  cut(): void {
    this.#cancelBeat?.();
    for (const { reader } of this.#open.values()) reader.cut();
  }

  /** One timer for all streams, armed while there are any. */
  #beatLater(): void {
    const { timer, idleTimer = timer, now } = this.#clock;
    const { heartbeatMs, stalledReaderMs } = this.#limits;
    this.#cancelBeat = idleTimer(heartbeatMs, () => {
      this.#cancelBeat = undefined;
      for (const { reader } of this.#open.values()) reader.beat(now(), stalledReaderMs);
      if (this.#open.size > 0) this.#beatLater();
    });
  }
}
