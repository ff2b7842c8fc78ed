/** Decodes server-sent events from the bytes of a body, however they are chunked. */
import { ProviderError } from "@capstan/kernel";
import { Utf8Decoder } from "./utf8-decoder.ts";

export interface SseEvent {
  /** `message` if the stream names none. */
  readonly event: string;
  readonly data: string;
  /** Last id in the stream; empty before the first. */
  readonly id: string;
  /**
   * JSON in the stream without `data:`, on one line or several. The standard says to ignore it, but some vendors report in this way
   * that a stream has failed midway.
   */
  readonly isBare: boolean;
}

export interface SseDecoderOptions {
  /** Maximum length of an event, in characters. Default 64 million. */
  readonly maxEventLength?: number;
}

const lineFeed = 10;
const space = 32;
const colon = 58;
const letterD = 100;
const letterE = 101;

/**
 * Follows the standard (WHATWG HTML, 9.2.6), except for bare JSON. Drops comments, `retry`, and an event that the end of the
 * stream truncates. Throws a `ProviderError` for an event above the limit; the decoder must not be used after that.
 */
export class SseDecoder {
  readonly #utf8 = new Utf8Decoder();
  readonly #maxEventLength: number;
  /** Incomplete line. Only appended to, never scanned, so that a long line in small chunks takes linear time. */
  #line = "";
  #endedInReturn = false;
  #event = "";
  #data = "";
  #hasData = false;
  #bare = "";
  #id = "";
  #nextId = "";

  constructor(options: SseDecoderOptions = {}) {
    this.#maxEventLength = options.maxEventLength ?? 64_000_000;
  }

  /** Pushes the events that end in this chunk. */
  take(chunk: Uint8Array, events: SseEvent[]): void {
    const text = this.#utf8.decode(chunk);
    if (text === "") return;
    let start = this.#endedInReturn && text.charCodeAt(0) === lineFeed ? 1 : 0;
    this.#endedInReturn = false;
    let feed = text.indexOf("\n", start);
    let back = text.indexOf("\r", start);
    while (feed !== -1 || back !== -1) {
      const end = back === -1 || (feed !== -1 && feed < back) ? feed : back;
      if (this.#line === "") this.#takeLine(text, start, end, events);
      else this.#takeLongLine(text.slice(start, end), events);
      start = end + 1;
      if (end === back) {
        if (feed === start) start++;
        else if (start === text.length) this.#endedInReturn = true;
        back = text.indexOf("\r", start);
      }
      if (feed < start) feed = text.indexOf("\n", start);
    }
    if (start < text.length) this.#line += text.slice(start);
    this.#checkLength();
  }

  /** Must be called at the end of the stream. Drops an incomplete event, as the standard requires, unless it is bare JSON. */
  end(events: SseEvent[]): void {
    if (this.#line !== "") this.#takeLongLine("", events);
    this.#flushBare(events);
  }

  #takeLongLine(rest: string, events: SseEvent[]): void {
    const line = this.#line + rest;
    this.#line = "";
    this.#takeLine(line, 0, line.length, events);
  }

  /** Handles the line of `text` from `start` to `end`, by index, because most lines need no string. */
  #takeLine(text: string, start: number, end: number, events: SseEvent[]): void {
    if (start === end) return this.#dispatch(events);
    const first = text.charCodeAt(start);
    if (first === letterD && text.startsWith("data:", start)) {
      const value = text.slice(valueStart(text, start + 5), end);
      this.#data = this.#hasData ? `${this.#data}\n${value}` : value;
      this.#hasData = true;
    } else if (first === letterE && text.startsWith("event:", start)) {
      this.#event = text.slice(valueStart(text, start + 6), end);
    } else if (first !== colon) this.#takeRareLine(text.slice(start, end));
  }

  #takeRareLine(line: string): void {
    if (line.startsWith("id:")) this.#takeId(line.slice(valueStart(line, 3)));
    // A field without a colon has an empty value.
    else if (line === "id") this.#takeId("");
    else if (line === "event") this.#event = "";
    else if (line === "data") {
      this.#data = this.#hasData ? `${this.#data}\n` : "";
      this.#hasData = true;
    } else if (this.#bare !== "") this.#bare += `\n${line}`;
    else if (/^\s*(\{|\[\s*(\{|$))/.test(line)) this.#bare = line;
  }

  #takeId(id: string): void {
    if (!id.includes("\0")) this.#nextId = id;
  }

  #dispatch(events: SseEvent[]): void {
    this.#id = this.#nextId;
    if (this.#hasData) {
      events.push({
        event: this.#event === "" ? "message" : this.#event,
        data: this.#data,
        id: this.#id,
        isBare: false,
      });
      this.#data = "";
      this.#hasData = false;
    }
    this.#event = "";
    this.#flushBare(events);
  }

  #flushBare(events: SseEvent[]): void {
    if (this.#bare === "") return;
    events.push({ event: "message", data: this.#bare, id: this.#id, isBare: true });
    this.#bare = "";
  }

  #checkLength(): void {
    const length = this.#line.length + this.#data.length + this.#bare.length;
    if (length <= this.#maxEventLength) return;
    throw new ProviderError(
      "protocol",
      `An event in the stream exceeds ${this.#maxEventLength} characters: the server does not implement the expected protocol`,
    );
  }
}

function valueStart(text: string, afterColon: number): number {
  return text.charCodeAt(afterColon) === space ? afterColon + 1 : afterColon;
}
