/** Connection of a client to a model's reply: writes frames as fast as the client accepts them. */
import type { FrameSink, FrameSource } from "../streaming/frame-sink.ts";
import { heartbeat } from "../streaming/session-frames.ts";
import type { StreamMember } from "../streaming/streams.ts";
import type { ModelReply, ReplyListener } from "./model-reply.ts";

export interface ReplyReaderOptions {
  /** Number of the last frame that the client has. */
  readonly after: number;
  /** Last frame of a stream that ends because the server closes. */
  readonly closingFrame: string;
  onWrite(frames: number, chars: number): void;
  onClose(): void;
}

export class ReplyReader implements FrameSource, ReplyListener, StreamMember {
  readonly #reply: ModelReply;
  readonly #options: ReplyReaderOptions;
  #sink: FrameSink | undefined;
  #written: number;
  #isBlocked = true;
  #isOver = false;
  #wasBusy = true;
  #stalledSince: number | undefined;

  constructor(reply: ModelReply, options: ReplyReaderOptions) {
    this.#reply = reply;
    this.#options = options;
    this.#written = options.after;
    // A reply has one reader: the last one that its client has opened.
    reply.listener?.cut();
    reply.listener = this;
  }

  start(sink: FrameSink): this {
    this.#sink = sink;
    this.onDrain();
    return this;
  }

  onDrain(): void {
    this.#isBlocked = false;
    this.#stalledSince = undefined;
    this.onFrames();
  }

  onFrames(): void {
    while (!this.#isBlocked && !this.#isOver) {
      const frame = this.#reply.frame(this.#written + 1);
      if (frame === undefined) break;
      this.#written += 1;
      this.#write(frame);
    }
    if (this.#isOver) return;
    this.#reply.onTaken(this.#written);
    if (this.#isBlocked || !this.#reply.isOver) return;
    if (this.#reply.frame(this.#written + 1) === undefined) this.#end();
  }

  /** Sends a heartbeat, or disconnects a client that has accepted nothing for too long. */
  beat(now: number, stalledMs: number): void {
    if (this.#isBlocked && this.#sink !== undefined) {
      this.#stalledSince ??= now;
      if (now - this.#stalledSince >= stalledMs) this.cut();
    } else if (!this.#wasBusy) this.#isBlocked = this.#sink?.write(heartbeat) === false;
    this.#wasBusy = false;
  }

  endEarly(): void {
    if (this.#isOver) return;
    this.#sink?.write(this.#options.closingFrame);
    this.#end();
  }

  cut(): void {
    this.#sink?.cut();
    this.onClose();
  }

  onClose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#reply.listener === this) this.#reply.listener = undefined;
    this.#options.onClose();
  }

  #write(frame: string): void {
    this.#wasBusy = true;
    this.#options.onWrite(1, frame.length);
    this.#isBlocked = this.#sink?.write(frame) === false;
  }

  #end(): void {
    this.#sink?.end();
    this.onClose();
  }
}
