/** One reader of a session's events: writes them as fast as it takes them, and keeps little of what it does not. */
import type { Session, SessionError } from "@capstan/core";
import type { AgentEvent } from "@capstan/kernel";
import type { Cursor } from "@capstan/log";
import type { FrameSink, FrameSource } from "./frame-sink.ts";
import { sinkHighWater } from "./frame-sink.ts";
import type { SessionFrames } from "./session-frames.ts";
import { heartbeat, streamFrame } from "./session-frames.ts";

type Delta = Extract<AgentEvent, { readonly delta: string }>;

/** Characters that wait for all readers of a server. */
export interface UnreadCount {
  chars: number;
  readonly maxChars: number;
}

export interface ReaderOptions {
  readonly session: Session;
  readonly frames: SessionFrames;
  readonly maxUnreadChars: number;
  /** Characters that all readers together have not taken. */
  readonly unread: UnreadCount;
  /** Written first. */
  readonly opening: string;
  /** Which events it wants. Default all. */
  accepts?(event: AgentEvent, cursor: Cursor): boolean;
  /** Called with each event that it has got. */
  onEvent?(event: AgentEvent): void;
  /** It is gone. */
  onClose(): void;
  /** How much was sent. */
  onWrite(events: number, chars: number): void;
}

const replayFactor = 8;

/**
 * What a slow reader has not taken is kept up to a limit, deltas of one part as one. Beyond it everything is dropped, and once the reader has
 * caught up it gets what it missed from the log, with a snapshot for what was only live: the same as if it had come back with its cursor.
 */
export class EventReader implements FrameSource {
  readonly #options: ReaderOptions;
  #sink: FrameSink | undefined;
  /** Frames that wait for the sink. */
  #unread: string[] = [];
  #unreadChars = 0;
  /** The last of them, if it is a delta that may grow. */
  #delta: { event: Delta; cursor: Cursor } | undefined;
  /** No sink yet, or one that is full. */
  #isBehind = true;
  /** Something was dropped: the log has it. */
  #hasMissed = false;
  /** Of the last event that was written or waits. */
  #cursor: Cursor | undefined;
  #turnId: string | undefined;
  #unsubscribe: () => void = () => {};
  #isOver = false;
  /** What closes the stream, once everything is written. */
  #ending: string | undefined;
  #wasBusy = true;
  #drainedAt = 0;
  /** Lets the log go on. */
  #wake: () => void = () => {};

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#push(options.opening);
  }

  /** From now on, or behind a place. */
  subscribe(after?: Cursor): void {
    const listener = (event: AgentEvent, cursor: Cursor): void => this.#take(event, cursor);
    this.#leave();
    // The id is another session's now, or this process cannot read the log: another one may.
    const onEnd = ({ code }: SessionError): void => {
      const reason = code === "not_found" ? "deleted" : "closing";
      this.end(streamFrame({ type: "stream_end", reason }));
    };
    this.#unsubscribe = this.#options.session.subscribe(
      listener,
      after === undefined ? { onEnd } : { after, onEnd, ready: () => this.#ready() },
    );
    this.#cursor = after ?? this.#cursor;
  }

  start(sink: FrameSink): this {
    this.#sink = sink;
    this.onDrain();
    return this;
  }

  /** Writes this behind everything else and closes the stream. */
  end(frame: string): void {
    if (this.#isOver || this.#ending !== undefined) return;
    this.#leave();
    this.#ending = frame;
    if (!this.#isBehind) this.#finish();
  }

  /** Nobody knows whether the other side is still there. */
  beat(now: number, stalledMs: number): void {
    if (this.#sink === undefined) return;
    if (this.#isBehind) {
      if (this.#drainedAt === 0) this.#drainedAt = now;
      if (now - this.#drainedAt >= stalledMs) this.cut();
      return;
    }
    this.#drainedAt = 0;
    if (!this.#wasBusy) this.#isBehind = !this.#sink.write(heartbeat);
    this.#wasBusy = false;
  }

  /** Gives it up. */
  cut(): void {
    this.#sink?.cut();
    this.onClose();
  }

  onDrain(): void {
    if (this.#isOver) return;
    this.#isBehind = false;
    this.#drainedAt = 0;
    this.#closeDelta();
    this.#writeUnread();
    if (this.#isBehind) return;
    this.#wake();
    if (this.#hasMissed) return this.#catchUp();
    if (this.#ending !== undefined) this.#finish();
  }

  onClose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    this.#unread = [];
    this.#delta = undefined;
    this.#count(-this.#unreadChars);
    this.#options.onClose();
  }

  #take(event: AgentEvent, cursor: Cursor): void {
    if (this.#isOver || this.#hasMissed || this.#options.accepts?.(event, cursor) === false) return;
    this.#cursor = cursor;
    if (!this.#isBehind) this.#write(this.#frameOf(event, cursor), 1);
    else if (!this.#merge(event, cursor)) this.#keep(event, cursor);
    this.#options.onEvent?.(event);
    if (this.#unreadChars > this.#limitAt(cursor)) this.#drop();
  }

  /** What comes from the log costs a reading of all of it, so more of that is kept. */
  #limitAt(cursor: Cursor): number {
    const { session, maxUnreadChars, unread } = this.#options;
    if (unread.chars > unread.maxChars) return 0;
    return cursor.seq < session.cursor.seq ? maxUnreadChars * replayFactor : maxUnreadChars;
  }

  #keep(event: AgentEvent, cursor: Cursor): void {
    this.#closeDelta();
    if (isDelta(event) && event.turnId === this.#turnId) {
      this.#delta = { event, cursor };
      this.#count(event.delta.length);
    } else this.#push(this.#frameOf(event, cursor));
  }

  #merge(event: AgentEvent, cursor: Cursor): boolean {
    const last = this.#delta;
    if (last === undefined || !isDelta(event) || !isSamePart(last.event, event)) return false;
    this.#delta = { event: { ...last.event, delta: last.event.delta + event.delta }, cursor };
    this.#count(event.delta.length);
    return true;
  }

  /** A delta that waits becomes a frame like others. */
  #closeDelta(): void {
    const last = this.#delta;
    if (last === undefined) return;
    this.#delta = undefined;
    this.#count(-last.event.delta.length);
    this.#push(this.#frameOf(last.event, last.cursor));
  }

  #push(frame: string): void {
    this.#unread.push(frame);
    this.#count(frame.length);
  }

  #count(chars: number): void {
    this.#unreadChars += chars;
    this.#options.unread.chars += chars;
  }

  /** As much as the sink takes: what waits here is mostly text that other readers wait for, too, and what is in a sink is a copy. */
  #writeUnread(): void {
    while (this.#unread.length > 0 && !this.#isBehind) {
      let chars = 0;
      // A large frame goes by itself, so that the sinks of all its readers are given the same text.
      const isTaken = ({ length }: string): boolean =>
        chars === 0 || chars + length < sinkHighWater;
      let taken = 0;
      for (const frame of this.#unread) {
        if (!isTaken(frame)) break;
        chars += frame.length;
        taken += 1;
      }
      this.#count(-chars);
      this.#write(this.#unread.splice(0, taken).join(""), taken);
    }
  }

  /** What waits now will be sent; what comes is not kept. */
  #drop(): void {
    this.#hasMissed = true;
    this.#leave();
  }

  /** A promise while earlier events wait for the sink. */
  #ready(): Promise<void> | undefined {
    if (!this.#isBehind || this.#isOver || this.#hasMissed) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** A reading of the log that is held back notices that it is not wanted any more. */
  #leave(): void {
    this.#unsubscribe();
    this.#wake();
  }

  #catchUp(): void {
    this.#hasMissed = false;
    this.subscribe(this.#cursor);
  }

  #frameOf(event: AgentEvent, cursor: Cursor): string {
    const { frames } = this.#options;
    if (event.turnId === this.#turnId) return frames.frame(event, cursor);
    this.#turnId = event.turnId;
    return frames.frameOfTurn(event, cursor);
  }

  #write(frames: string, events: number): void {
    this.#wasBusy = true;
    this.#options.onWrite(events, frames.length);
    // There is a sink, or the reader would be behind.
    this.#isBehind = this.#sink?.write(frames) === false;
  }

  #finish(): void {
    this.#sink?.write(this.#ending ?? "");
    this.#sink?.end();
    this.onClose();
  }
}

function isDelta(event: AgentEvent): event is Delta {
  return "delta" in event;
}

function isSamePart(a: Delta, b: Delta): boolean {
  if (a.type === "toolcall_delta") return b.type === a.type && b.index === a.index;
  if (a.type === "tool_execution_delta") return b.type === a.type && b.toolCallId === a.toolCallId;
  return b.type === a.type;
}
