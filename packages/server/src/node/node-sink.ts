/** Writes a stream to a Node socket, in batches. */
import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { EventStream, FrameSink, FrameSource } from "../streaming/frame-sink.ts";
import { sinkHighWater } from "../streaming/frame-sink.ts";

export function startNodeStream({ headers, start }: EventStream, response: ServerResponse): void {
  response.writeHead(200, headers);
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const sink = new NodeSink(response);
  const source = start(sink);
  sink.source = source;
  response.on("close", () => {
    sink.leave();
    source.onClose();
  });
}

const waiting: (() => void)[] = [];

/** Writes everything from one read of the model at once, because a write costs more than all else. One timer serves all streams. */
function flushSoon(flush: () => void): void {
  waiting.push(flush);
  if (waiting.length > 1) return;
  setImmediate(() => {
    for (const each of waiting.splice(0)) each();
  });
}

class NodeSink implements FrameSink {
  source: FrameSource | undefined;
  readonly #response: ServerResponse;
  readonly #writable: Writable;
  readonly #isChunked: boolean;
  #pending = "";
  #isScheduled = false;
  /** Whether the socket's buffer is full. */
  #isFull = false;
  /** Whether the source waits for `onDrain`. */
  #isAwaited = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    const { socket } = response;
    // A response writes each chunk in four parts, which is a third of the cost of an event. The socket takes them as one, unless it is
    // still busy with an earlier response, the client does not support chunks, or a middleware wants to see what is written.
    const isOwn = response.write === ServerResponse.prototype.write;
    const direct = isOwn && response.chunkedEncoding ? socket : null;
    this.#isChunked = direct !== null;
    this.#writable = direct ?? response;
    this.#writable.on("drain", this.#onDrain);
  }

  /** Stops listening: the socket may serve other requests. */
  leave(): void {
    this.#writable.off("drain", this.#onDrain);
  }

  write(frames: string): boolean {
    this.#pending += frames;
    if (!this.#isScheduled && !this.#isFull) {
      this.#isScheduled = true;
      flushSoon(this.#flush);
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

  readonly #onDrain = (): void => {
    this.#isFull = false;
    this.#flush();
  };

  readonly #flush = (): void => {
    this.#isScheduled = false;
    const frames = this.#pending;
    this.#pending = "";
    if (frames !== "") this.#isFull = !this.#send(frames);
    if (this.#isFull || !this.#isAwaited) return;
    this.#isAwaited = false;
    this.source?.onDrain();
  };

  #send(frames: string): boolean {
    const bytes = Buffer.byteLength(frames);
    if (bytes >= sinkHighWater) return this.#sendLarge(frames, bytes);
    const text = this.#isChunked ? `${bytes.toString(16)}\r\n${frames}\r\n` : frames;
    // ASCII is the same in both, and is written without encoding.
    return this.#writable.write(text, bytes === frames.length ? "latin1" : "utf8");
  }

  /** Sends bytes instead of text: text would be copied for each socket that does not accept it at once. */
  #sendLarge(frames: string, size: number): boolean {
    const { bytes, release } = shareBytes(frames);
    if (!this.#isChunked) return this.#writable.write(bytes, release);
    this.#writable.cork();
    this.#writable.write(`${size.toString(16)}\r\n`, "latin1");
    this.#writable.write(bytes, release);
    const isTaken = this.#writable.write("\r\n", "latin1");
    this.#writable.uncork();
    return isTaken;
  }
}

interface SharedBytes {
  readonly text: string;
  readonly bytes: Buffer;
  /** Pending writes. */
  uses: number;
}

let lastShared: SharedBytes | undefined;

/** Returns the bytes of a text, shared until all sockets have taken them or another large text is sent. */
function shareBytes(text: string): { readonly bytes: Buffer; readonly release: () => void } {
  const shared =
    lastShared?.text === text ? lastShared : { text, bytes: Buffer.from(text), uses: 0 };
  lastShared = shared;
  shared.uses += 1;
  const release = (): void => {
    shared.uses -= 1;
    if (shared.uses === 0 && lastShared === shared) lastShared = undefined;
  };
  return { bytes: shared.bytes, release };
}
