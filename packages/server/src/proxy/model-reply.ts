/** One reply of a model on its way to a client: read from the provider, and kept for a reader that was cut. */
import type { ProviderPart } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { ModelFrame, WireProviderError } from "@capstan/log";
import type { UnreadCount } from "../streaming/event-reader.ts";
import { ServerError, invalidRequest } from "../guard/server-error.ts";

export interface ModelReplyOptions {
  /** Starts the request. */
  stream(signal: AbortSignal): AsyncIterable<ProviderPart>;
  onPart(part: ProviderPart): void;
  toWireError(thrown: unknown): WireProviderError;
  /** Called once: the provider has ended its stream, has failed, or was aborted. */
  onOver(): void;
  /** Characters that wait for a reader before the provider has to wait. */
  readonly maxUnreadChars: number;
  readonly maxReplayChars: number;
  /** Shared by all streams of the server. */
  readonly unread: UnreadCount;
}

/** Reader of a reply's frames. */
export interface ReplyListener {
  /** Called when there are new frames. */
  onFrames(): void;
  /** Disconnects the reader. */
  cut(): void;
}

export class ModelReply {
  readonly #options: ModelReplyOptions;
  readonly #abort = new AbortController();
  #iterator: AsyncIterator<ProviderPart> | undefined;
  /** Frames from `#first` on; earlier ones are gone. */
  #frames: string[] = [];
  #first = 1;
  #chars = 0;
  /** Number of the last frame that a reader has taken. */
  #taken = 0;
  #takenChars = 0;
  #isOver = false;
  #wake: (() => void) | undefined;
  listener: ReplyListener | undefined;

  constructor(options: ModelReplyOptions) {
    this.#options = options;
    background(this.#read(), (thrown) => this.#fail(thrown));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Number of the last frame. */
  get last(): number {
    return this.#first + this.#frames.length - 1;
  }

  /** Prepares for a reader that has the frames up to this one. Fails with `cursor_expired` if the next are gone, and with `cursor_ahead`. */
  readFrom(after: number): void {
    if (after > this.last) {
      throw new ServerError(
        "cursor_ahead",
        `The reply has ${this.last} frames, not ${after}: ask again`,
      );
    }
    if (after < this.#first - 1) {
      const message = `The frames after ${after} are no longer kept: ask again`;
      throw new ServerError("cursor_expired", message);
    }
    this.#taken = after;
    this.#takenChars = 0;
    for (let number = this.#first; number <= after; number += 1) {
      this.#takenChars += this.frame(number)?.length ?? 0;
    }
  }

  /** Frame with this number; undefined if it is not there yet. */
  frame(number: number): string | undefined {
    return this.#frames[number - this.#first];
  }

  /** Marks the frames up to this one as taken: they may be dropped, and the provider goes on. */
  onTaken(number: number): void {
    for (; this.#taken < number; this.#taken += 1) {
      this.#takenChars += this.frame(this.#taken + 1)?.length ?? 0;
    }
    this.#trim();
    if (!this.#isFull) this.#wake?.();
  }

  /** Aborts the request. The reader gets no more frames. */
  abort(reason: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#abort.abort(new DOMException(reason, "AbortError"));
    // A provider may ignore its signal, or fail to leave: its parts are dropped.
    background(Promise.resolve(this.#iterator?.return?.()), () => {});
  }

  /** Forgets the frames. */
  drop(): void {
    this.abort("The reply is no longer wanted");
    this.#count(-this.#chars);
    this.#first += this.#frames.length;
    this.#frames = [];
  }

  async #read(): Promise<void> {
    const parts = this.#options.stream(this.#abort.signal);
    const iterator = parts[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (;;) {
      const { value, done } = await iterator.next();
      if (this.#isOver) return;
      if (done === true) break;
      this.#options.onPart(value);
      this.#push(value);
      if (this.#isFull) await this.#room();
    }
    this.#push({ type: "end" });
    this.#end();
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return;
    this.#push({ type: "error", error: this.#options.toWireError(thrown) });
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake?.();
    this.#options.onOver();
    this.listener?.onFrames();
  }

  #push(frame: ModelFrame): void {
    const text = `id: ${this.last + 1}\ndata: ${JSON.stringify(frame)}\n\n`;
    this.#frames.push(text);
    this.#count(text.length);
    this.#trim();
    this.listener?.onFrames();
  }

  get #isFull(): boolean {
    const { maxUnreadChars, unread } = this.#options;
    const unreadChars = this.#chars - this.#takenChars;
    return unreadChars > (unread.chars > unread.maxChars ? 0 : maxUnreadChars);
  }

  async #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }

  /** Drops the oldest taken frames above the limit. */
  #trim(): void {
    const { maxReplayChars, unread } = this.#options;
    const limit = unread.chars > unread.maxChars ? 0 : maxReplayChars;
    while (this.#chars > limit && this.#first <= this.#taken) {
      const chars = this.#frames.shift()?.length ?? 0;
      this.#first += 1;
      this.#takenChars -= chars;
      this.#count(-chars);
    }
  }

  #count(chars: number): void {
    this.#chars += chars;
    this.#options.unread.chars += chars;
  }
}

/** Number of the last frame that a reader has, from its header. Fails with `invalid_request`. */
export function frameNumberIn(headers: Headers): number {
  const text = headers.get("last-event-id") ?? "";
  if (text === "") return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidRequest("Invalid cursor", [{ path: "last-event-id", message: "must be a number" }]);
}
