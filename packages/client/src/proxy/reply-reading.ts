/** One request to a model of a server, from the first byte to the end of the reply. */
import type { ProviderPart } from "@capstan/kernel";
import { ProviderError, background } from "@capstan/kernel";
import type { ModelFrame, ModelRequest } from "@capstan/log";
import { fromWireError } from "@capstan/log";
import type { Connection } from "../stream/connection.ts";
import { notOurs, toClientError, unreachable } from "../stream/connection.ts";
import { readFrames } from "../stream/read-frames.ts";
import { Silence } from "../stream/silence.ts";
import { toProviderError } from "./provider-errors.ts";

export class ReplyReading implements AsyncIterableIterator<ProviderPart> {
  readonly #connection: Connection;
  readonly #body: ModelRequest;
  readonly #signal: AbortSignal;
  /** Fires when the reader leaves. */
  readonly #left = new AbortController();
  readonly #parts: AsyncGenerator<ProviderPart, void>;
  /** Number of the last frame that came. */
  #cursor = 0;
  /** Whether the server has the request. */
  #isKnown = false;
  /** Whether the reply has ended, so that there is nothing to abort. */
  #isOver = false;

  constructor(connection: Connection, body: ModelRequest, signal: AbortSignal) {
    this.#connection = connection;
    this.#body = body;
    this.#signal = signal;
    this.#parts = this.#read();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ProviderPart, void>> {
    return this.#parts.next();
  }

  /** A generator that waits cannot be returned, so what it waits for ends first. */
  return(): Promise<IteratorResult<ProviderPart, void>> {
    this.#left.abort();
    return this.#parts.return();
  }

  async *#read(): AsyncGenerator<ProviderPart, void> {
    this.#signal.throwIfAborted();
    const signal = AbortSignal.any([this.#signal, this.#left.signal]);
    let attempt = 0;
    try {
      while (!this.#isOver) {
        try {
          for await (const part of this.#readStream(signal)) {
            attempt = 0;
            yield part;
          }
        } catch (thrown) {
          if (this.#left.signal.aborted) return;
          this.#signal.throwIfAborted();
          if (thrown instanceof ProviderError) throw thrown;
          const failure = toClientError(thrown);
          attempt += 1;
          const isCut = failure.code === "unreachable" && attempt < this.#connection.maxAttempts;
          if (!isCut) throw toProviderError(failure, this.#isKnown);
          await this.#connection.rest(attempt, failure, signal);
        }
      }
    } finally {
      if (!this.#isOver) this.#abort();
    }
  }

  /** Reads one response to its end. */
  async *#readStream(signal: AbortSignal): AsyncGenerator<ProviderPart> {
    const cut = new AbortController();
    const either = AbortSignal.any([signal, cut.signal]);
    const response = await this.#open(either);
    this.#isKnown = true;
    const { body, headers } = response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (body === null || !isStream) throw notOurs(response);
    const silence = new Silence(
      this.#connection.silenceMs,
      () => cut.abort(),
      () => {},
    );
    try {
      for await (const { id, data } of readFrames(body, either, () => silence.onBytes())) {
        this.#cursor = id === undefined ? this.#cursor : Number(id);
        const part = this.#toPart(parseFrame(data, response));
        if (part === undefined) return;
        yield part;
        if (this.#isOver) return;
      }
    } finally {
      silence.close();
    }
    throw unreachable("The rest of the reply", undefined);
  }

  /** Sends the request, or asks for the rest of its reply. To repeat a request is safe: its id is known. */
  #open(signal: AbortSignal): Promise<Response> {
    const headers = { "last-event-id": String(this.#cursor) };
    if (this.#isKnown) return this.#connection.request("GET", this.#path, { headers, signal });
    const body = this.#body;
    return this.#connection.request("POST", "/api/stream", { body, headers, signal });
  }

  /** Undefined at the end. */
  #toPart(frame: ModelFrame): ProviderPart | undefined {
    if (frame.type === "end" || frame.type === "error" || frame.type === "finish") {
      this.#isOver = true;
    }
    if (frame.type === "error") throw fromWireError(frame.error);
    return frame.type === "end" ? undefined : frame;
  }

  #abort(): void {
    this.#isOver = true;
    // Without it the server aborts the request too, a little later.
    background(this.#connection.request("DELETE", this.#path), () => {});
  }

  get #path(): string {
    return `/api/stream/${this.#body.id}`;
  }
}

function parseFrame(data: string, response: Response): ModelFrame {
  try {
    // A Capstan server sends nothing else here.
    return JSON.parse(data) as ModelFrame;
  } catch (cause) {
    throw notOurs(response, cause);
  }
}
