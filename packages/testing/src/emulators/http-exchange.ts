/** Server side of one HTTP exchange. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue } from "@capstan/kernel";
import type { WireEvent, WireHeaders } from "./emulation.ts";

/** Returns the body, or undefined if it is too large. Reads it to the end even then, so that the answer reaches the client. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  // Without an encoding a request yields buffers.
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= maxBytes) pieces.push(piece);
  }
  return size > maxBytes ? undefined : Buffer.concat(pieces).toString("utf8");
}

export function headersOf(request: IncomingMessage): WireHeaders {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
}

export class HttpAnswer {
  streamType = "text/event-stream; charset=utf-8";
  readonly #response: ServerResponse;
  readonly #headers: WireHeaders;
  readonly #left = new AbortController();

  constructor(response: ServerResponse, headers: WireHeaders) {
    this.#response = response;
    this.#headers = headers;
    response.once("close", () => {
      if (!response.writableFinished) this.#left.abort(new Error("the client has left"));
    });
    // Writing to a client that has left is not an error of the test.
    response.on("error", () => {});
  }

  /** Fires when the client leaves before the answer is complete. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  send(status: number, body: JsonValue, headers: WireHeaders = {}): void {
    this.sendText(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
  }

  sendText(status: number, text: string, headers: WireHeaders = {}): void {
    this.#response.writeHead(status, { ...this.#headers, ...headers });
    this.#response.end(text);
  }

  /** Waits for a slow reader, as long as it stays. */
  async stream(events: readonly WireEvent[]): Promise<void> {
    this.#beginStream();
    const hasRoom = this.#response.write(events.map(toText).join(""));
    if (hasRoom || this.left.aborted) return;
    // The reader has left, which the signal tells the caller.
    await once(this.#response, "drain", { signal: this.left }).catch(() => {});
  }

  /** Ends the stream here, or after this text. */
  endStream(text = ""): void {
    this.#beginStream();
    this.#response.end(text);
  }

  /** Breaks the connection in mid-stream, after this text. */
  async cutStream(text: string): Promise<void> {
    this.#beginStream();
    await this.#writeAndCut(text);
  }

  /** Breaks the connection inside a body that starts with this text; without a text, before any answer. */
  async cut(text?: string): Promise<void> {
    if (text === undefined) {
      this.#response.destroy();
      return;
    }
    this.#response.writeHead(200, { ...this.#headers, "content-type": "application/json" });
    await this.#writeAndCut(text);
  }

  /** The text must be sent before the connection breaks. */
  async #writeAndCut(text: string): Promise<void> {
    await new Promise((resolve) => this.#response.write(text, resolve));
    this.#response.destroy();
  }

  #beginStream(): void {
    if (this.hasBegun) return;
    this.#response.writeHead(200, {
      ...this.#headers,
      "content-type": this.streamType,
      "cache-control": "no-cache",
    });
  }
}

function toText(event: WireEvent): string {
  if ("comment" in event) return `: ${event.comment}\n\n`;
  if ("text" in event) return event.text;
  const name = event.event === undefined ? "" : `event: ${event.event}\n`;
  return `${name}data: ${JSON.stringify(event.data)}\n\n`;
}
