/** One reader of a session's events: writes them as fast as the reader accepts them, with a bounded buffer. */
import type { Session, SessionError } from "@capstan/core";
import type { Cursor, SessionEvent, TreePosition } from "@capstan/log";
import type { FrameSink, FrameSource } from "./frame-sink.ts";
import { sinkHighWater } from "./frame-sink.ts";
import type { EndReason, EventFrames } from "./session-frames.ts";
import { heartbeat } from "./session-frames.ts";

type Delta = Extract<SessionEvent, { readonly delta: string }>;

/** Characters buffered for all readers of a server. */
export interface UnreadCount {
  chars: number;
  readonly maxChars: number;
}

export interface ReaderOptions {
  readonly session: Session;
  /** Whether to send the events of child sessions, too. Default false. */
  readonly isTree?: boolean;
  readonly frames: EventFrames;
  readonly maxUnreadChars: number;
  /** Shared by all readers. */
  readonly unread: UnreadCount;
  /** First frame of the stream. */
  readonly opening: string;
  /** Last frame of a stream that ends before its turn. */
  endFrame(reason: EndReason): string;
  /** Whether to send an event. Default all. */
  accepts?(event: SessionEvent, cursor: Cursor): boolean;
  /** Called with each event sent or buffered. */
  onEvent?(event: SessionEvent): void;
  /** Called when the reader is gone. */
  onClose(): void;
  /** Called with the amount sent. */
  onWrite(events: number, chars: number): void;
}

const replayFactor = 8;

/**
 * Events that a slow reader has not accepted are buffered up to a limit, with deltas of one part merged. Above the limit everything is dropped, and
 * once the reader has caught up it gets what it missed from the log, with a snapshot of live state: as if it had reconnected with its cursor.
 */
export class EventReader implements FrameSource {
  readonly #options: ReaderOptions;
  #sink: FrameSink | undefined;
  /** Frames waiting for the sink. */
  #unread: string[] = [];
  #unreadChars = 0;
  /** The last of them, if it is a delta that may grow. */
  #delta: { event: Delta; cursor: Cursor } | undefined;
  /** True if there is no sink yet, or if it is full. */
  #isBlocked = true;
  /** Whether events were dropped: the log has them. */
  #hasMissed = false;
  /** Cursor of the last event written or waiting. In a tree, that of the last catch-up. */
  #cursor: Cursor | string | undefined;
  /** Position in the tree. Only valid while an event is taken. */
  #tree: TreePosition | undefined;
  /** Session and turn of the last event. */
  #sessionId: string | undefined;
  #turnId: string | undefined;
  #unsubscribe: () => void = () => {};
  #isOver = false;
  /** Last frame of the stream, to be written after everything else. */
  #ending: string | undefined;
  #wasBusy = true;
  #drainedAt = 0;
  /** Resume reading logs. */
  #wakes: (() => void)[] = [];

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#push(options.opening);
  }

  /** Subscribes from now on, or after a cursor. */
  subscribe(after?: Cursor | string): void {
    this.#leave();
    // The id belongs to another session now, or this process cannot read the log: another one may.
    const onEnd = ({ code }: SessionError): void => {
      this.endEarly(code === "not_found" ? "deleted" : "closing");
    };
    const { session, isTree = false } = this.#options;
    this.#unsubscribe = session.subscribe(
      (event, cursor, tree) => this.#take(event, cursor, isTree ? tree : undefined),
      {
        tree: isTree,
        onEnd,
        ready: () => this.#ready(),
        ...(after !== undefined && { after }),
      },
    );
    this.#cursor = after ?? this.#cursor;
  }

  start(sink: FrameSink): this {
    this.#sink = sink;
    this.onDrain();
    return this;
  }

  /** Writes this frame after everything else and closes the stream. */
  end(frame: string): void {
    if (this.#isOver || this.#ending !== undefined) return;
    this.#leave();
    this.#ending = frame;
    if (!this.#isBlocked) this.#finish();
  }

  /** Writes a frame that is no event of the session. Returns false if the reader is slow or gone: the frame is dropped. */
  insert(frame: string): boolean {
    if (this.#isOver || this.#ending !== undefined || this.#isBlocked) return false;
    this.#write(frame, 1);
    return true;
  }

  /** Tells the reason after everything else and closes the stream. */
  endEarly(reason: EndReason): void {
    this.end(this.#options.endFrame(reason));
  }

  /** Sends a heartbeat, or disconnects a stalled reader: the other side may be gone. */
  beat(now: number, stalledMs: number): void {
    if (this.#sink === undefined) return;
    if (this.#isBlocked) {
      if (this.#drainedAt === 0) this.#drainedAt = now;
      if (now - this.#drainedAt >= stalledMs) this.cut();
      return;
    }
    this.#drainedAt = 0;
    if (!this.#wasBusy) this.#isBlocked = !this.#sink.write(heartbeat);
    this.#wasBusy = false;
  }

  /** Disconnects the reader. */
  cut(): void {
    this.#sink?.cut();
    this.onClose();
  }

  onDrain(): void {
    if (this.#isOver) return;
    this.#isBlocked = false;
    this.#drainedAt = 0;
    this.#closeDelta();
    this.#writeUnread();
    if (this.#isBlocked) return;
    this.#wakeAll();
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

  #take(event: SessionEvent, cursor: Cursor, tree?: TreePosition): void {
    if (this.#isOver || this.#hasMissed || this.#options.accepts?.(event, cursor) === false) return;
    this.#tree = tree;
    if (tree === undefined) this.#cursor = cursor;
    if (!this.#isBlocked) this.#write(this.#frameOf(event, cursor), 1);
    else if (!this.#merge(event, cursor)) this.#keep(event, cursor);
    this.#options.onEvent?.(event);
    if (this.#unreadChars > this.#limitAt(event, cursor)) this.#drop();
    this.#tree = undefined;
  }

  /** Replaying from the log costs a full read, so the limit for replayed events is higher. */
  #limitAt({ sessionId }: SessionEvent, cursor: Cursor): number {
    const { session, maxUnreadChars, unread } = this.#options;
    if (unread.chars > unread.maxChars) return 0;
    const isReplayed = sessionId === session.id && cursor.seq < session.cursor.seq;
    return isReplayed ? maxUnreadChars * replayFactor : maxUnreadChars;
  }

  #keep(event: SessionEvent, cursor: Cursor): void {
    this.#closeDelta();
    if (isDelta(event) && this.#isSameTurn(event)) {
      this.#delta = { event, cursor };
      this.#count(event.delta.length);
    } else this.#push(this.#frameOf(event, cursor));
  }

  #merge(event: SessionEvent, cursor: Cursor): boolean {
    const last = this.#delta;
    if (last === undefined || !isDelta(event) || !isSamePart(last.event, event)) return false;
    this.#delta = { event: { ...last.event, delta: last.event.delta + event.delta }, cursor };
    this.#count(event.delta.length);
    return true;
  }

  /** Turns the waiting delta into a regular frame. */
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

  /** Writes only as much as the sink accepts: frames waiting here are mostly shared with other readers, while a sink holds copies. */
  #writeUnread(): void {
    while (this.#unread.length > 0 && !this.#isBlocked) {
      let chars = 0;
      // A large frame is written alone, so that the sinks of all readers get the same string.
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

  /** Sends what waits now, and drops what comes later. */
  #drop(): void {
    this.#hasMissed = true;
    this.#cursor = this.#tree?.cursor ?? this.#cursor;
    this.#leave();
  }

  /** Returns a promise while earlier events wait for the sink. */
  #ready(): Promise<void> | undefined {
    if (!this.#isBlocked || this.#isOver || this.#hasMissed) return undefined;
    return new Promise((resolve) => {
      this.#wakes.push(resolve);
    });
  }

  /** Unsubscribes. Wakes paused reads of logs, so that they notice. */
  #leave(): void {
    this.#unsubscribe();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }

  #catchUp(): void {
    this.#hasMissed = false;
    this.subscribe(this.#cursor);
  }

  #frameOf(event: SessionEvent, cursor: Cursor): string {
    const { frames } = this.#options;
    if (this.#isSameTurn(event)) return frames.frame(event, cursor, this.#tree);
    this.#turnId = event.turnId;
    this.#sessionId = event.sessionId;
    return frames.frameOfTurn(event, cursor, this.#tree);
  }

  #isSameTurn({ turnId, sessionId }: SessionEvent): boolean {
    return turnId === this.#turnId && sessionId === this.#sessionId;
  }

  #write(frames: string, events: number): void {
    if (frames === "") return;
    this.#wasBusy = true;
    this.#options.onWrite(events, frames.length);
    // There is a sink, otherwise the reader would be blocked.
    this.#isBlocked = this.#sink?.write(frames) === false;
  }

  #finish(): void {
    this.#sink?.write(this.#ending ?? "");
    this.#sink?.end();
    this.onClose();
  }
}

function isDelta(event: SessionEvent): event is Delta {
  return "delta" in event;
}

function isSamePart(a: Delta, b: Delta): boolean {
  if (a.sessionId !== b.sessionId) return false;
  if (a.type === "toolcall_delta") return b.type === a.type && b.index === a.index;
  if (a.type === "tool_execution_delta") return b.type === a.type && b.toolCallId === a.toolCallId;
  return b.type === a.type;
}
