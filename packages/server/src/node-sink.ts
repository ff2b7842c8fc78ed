/** A stream on a socket of Node: text goes straight to it, as much at a time as has come together. */
import type { ServerResponse } from "node:http";
import type { EventStream, FrameSink, FrameSource } from "./frame-sink.ts";
import { sinkHighWater } from "./frame-sink.ts";

export function startNodeStream({ headers, start }: EventStream, response: ServerResponse): void {
  response.writeHead(200, headers);
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const sink = new NodeSink(response);
  const source = start(sink);
  sink.source = source;
  response.on("close", () => source.onClose());
}

class NodeSink implements FrameSink {
  source: FrameSource | undefined;
  readonly #response: ServerResponse;
  #pending = "";
  #isScheduled = false;
  /** The socket takes no more for now. */
  #isFull = false;
  /** Somebody was told to wait. */
  #isAwaited = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("drain", () => {
      this.#isFull = false;
      this.#flush();
    });
  }

  write(frames: string): boolean {
    this.#pending += frames;
    if (!this.#isScheduled && !this.#isFull) {
      this.#isScheduled = true;
      // What one read from the model brought is written as one: each write costs more than all the rest.
      setImmediate(this.#flush);
    }
    const isSlow = this.#isFull || this.#pending.length >= sinkHighWater;
    if (isSlow) this.#isAwaited = true;
    return !isSlow;
  }

  end(): void {
    this.#isAwaited = false;
    this.#flush();
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    const frames = this.#pending;
    this.#pending = "";
    if (frames !== "" && !this.#response.write(frames)) this.#isFull = true;
    if (this.#isFull || !this.#isAwaited) return;
    this.#isAwaited = false;
    this.source?.onDrain();
  };
}
