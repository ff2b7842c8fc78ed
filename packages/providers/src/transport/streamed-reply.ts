/** Decodes the parts of a reply that arrives as server-sent events. */
import type { ProviderPart } from "@capstan/kernel";
import type { ReplyDecoder } from "../wire/protocol.ts";
import type { SseEvent } from "../sse/sse-decoder.ts";
import { SseDecoder } from "../sse/sse-decoder.ts";
import { RoomCheck } from "./full-context.ts";
import { toNetworkError } from "./network-errors.ts";
import { parseJson } from "./parse-json.ts";
import type { PartSource } from "./part-source.ts";
import { unexpectedAnswer } from "./unexpected-answer.ts";
import type { WireCall } from "./wire-call.ts";

/** How long to wait for the end of the body once the reply is complete. */
const drainMs = 1_000;

export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.toLowerCase().includes("event-stream") === true;
}

export class StreamedReply implements PartSource {
  readonly #call: WireCall;
  readonly #response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #sse = new SseDecoder();
  readonly #decoder: ReplyDecoder;
  readonly #events: SseEvent[] = [];
  readonly #room: RoomCheck;
  #hasEvents = false;
  #isWhole = false;
  #firstChunk: Uint8Array | undefined;

  constructor(call: WireCall, response: Response) {
    this.#call = call;
    this.#response = response;
    this.#reader = response.body?.getReader();
    this.#decoder = call.vendor.protocol.decoder(call.target);
    this.#room = new RoomCheck(call.vendor.id, call.target.contextWindow);
  }

  async fill(parts: ProviderPart[]): Promise<boolean> {
    const chunk = await this.#read();
    const events = this.#events;
    events.length = 0;
    try {
      if (chunk === undefined) this.#sse.end(events);
      else this.#sse.take(chunk, events);
    } finally {
      // Including the events before one that is too long.
      for (const event of events) this.#take(event, parts);
    }
    this.#room.take(parts);
    if (chunk !== undefined) return true;
    if (this.#isWhole) return false;
    // A body declared as an event stream was one that broke off early; anything else was none.
    if (!this.#hasEvents && !isEventStream(this.#response)) throw this.#noEvents();
    this.#decoder.end(parts);
    this.#room.take(parts);
    return false;
  }

  #take(event: SseEvent, parts: ProviderPart[]): void {
    const body = event.isBare && !this.#hasEvents ? parseJson(event.data) : undefined;
    this.#hasEvents = true;
    if (body === undefined) return this.#decoder.take(event, parts);
    // Not a stream, from a server that does not state its content type.
    this.#isWhole = true;
    const { vendor, target } = this.#call;
    parts.push(...vendor.protocol.decodeBody(body, target));
  }

  /** Drains the body of a finished reply, whose end is near: a connection is reused only if its body was read completely. */
  leave(isFinished: boolean): void {
    if (!isFinished) return this.#cancel();
    const timeout = setTimeout(() => this.#cancel(), drainMs);
    // A number in browsers; in Node it must not keep the process alive.
    if (typeof timeout === "object") timeout.unref();
    this.#drain().then(
      () => clearTimeout(timeout),
      // The reply is complete: failures of the rest do not matter.
      () => clearTimeout(timeout),
    );
  }

  async #read(): Promise<Uint8Array | undefined> {
    try {
      const { value } = (await this.#reader?.read()) ?? {};
      if (!this.#hasEvents) this.#firstChunk ??= value;
      return value;
    } catch (thrown) {
      throw toNetworkError(`Reading the reply from ${this.#call.place}`, thrown);
    }
  }

  async #drain(): Promise<void> {
    while ((await this.#reader?.read())?.done === false);
  }

  #cancel(): void {
    // No caller awaits the rest, so its failure does not matter.
    this.#reader?.cancel().catch(() => {});
  }

  #noEvents(): Error {
    const beginning = new TextDecoder().decode(this.#firstChunk?.subarray(0, 1_000));
    return unexpectedAnswer(this.#call, this.#response, beginning);
  }
}
