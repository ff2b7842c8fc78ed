/** How much of each request repeats the previous one, from its beginning: what a vendor's prompt cache can reuse. */
import type { ContextFold } from "./context-fold.ts";
import type { EntryOf } from "../entries/entries.ts";
import { sizeOfMessage, sizeOfNote } from "./message-size.ts";
import type { TranscriptFold } from "./transcript-fold.ts";
import { appended } from "./spare-room.ts";

/**
 * From 0 to 1: characters of all requests that were at the same position in the previous request, divided by the characters of all requests,
 * not counting the first. Instructions and tools are part of a request. Undefined if there was no second request.
 */
export interface CacheStability {
  readonly session: number | undefined;
  /** Share for the last turn. */
  readonly turn: number | undefined;
}

/** @internal State in a checkpoint. Sums are repeated and total characters. */
export interface SavedPrefix {
  readonly frame: number;
  readonly size: number;
  readonly read: number;
  readonly same: number | undefined;
  readonly session: readonly [number, number];
  readonly turn: readonly [number, number];
}

/** Lazy: computed when read, or when shown messages change: then each message once, and all of them again only after a change. */
export class PrefixFold {
  readonly #transcript: TranscriptFold;
  readonly #context: ContextFold;
  /** Size of instructions and tools. */
  #frame = 0;
  /** Size of the messages before `#read`, as they are shown. */
  #size = 0;
  #read = 0;
  /** Unchanged characters at the beginning of the last request; undefined before the first. */
  #same: number | undefined;
  #session = new Sum();
  #turn = new Sum();
  /** Length of the transcript at each request that was not counted yet. */
  #requests: number[] = [];
  /** Number of these that belong to earlier turns. */
  #earlier = 0;

  constructor(transcript: TranscriptFold, context: ContextFold) {
    this.#transcript = transcript;
    this.#context = context;
  }

  get stability(): CacheStability {
    this.countRequests();
    return { session: this.#session.share, turn: this.#turn.share };
  }

  startTurn(): void {
    this.#turn = new Sum();
    this.#earlier = this.#requests.length;
  }

  /** Records a request with all current messages. */
  request(): void {
    this.#requests = appended(this.#requests, this.#transcript.length);
  }

  /** Counts the requests so far. Must be called before a message is shown differently, or no longer. */
  countRequests(): void {
    for (const [index, length] of this.#requests.entries()) {
      this.#count(length, index >= this.#earlier);
    }
    this.#requests = [];
    this.#earlier = 0;
  }

  #count(length: number, isOfTurn: boolean): void {
    for (; this.#read < length; this.#read++) this.#size += this.#sizeAt(this.#read);
    const size = this.#frame + this.#size;
    if (this.#same !== undefined) {
      this.#session.add(this.#same, size);
      if (isOfTurn) this.#turn.add(this.#same, size);
    }
    this.#same = size;
  }

  /** Sets the instructions and tools that precede all messages. */
  reframe({ instructions = "", toolsChars = 0 }: EntryOf<"prompt">): void {
    this.countRequests();
    this.#frame = instructions.length + toolsChars;
    if (this.#same !== undefined) this.#same = 0;
  }

  /** Messages from this index on are shown differently, or no longer. */
  change(index: number): void {
    const { summary } = this.#context;
    const start = summary === undefined ? 0 : this.#transcript.indexAfter(summary.through);
    let before = summary?.text.length ?? 0;
    for (let at = start; at < index; at++) before += this.#sizeAt(at);
    this.#size = before;
    for (let at = Math.max(start, index); at < this.#read; at++) this.#size += this.#sizeAt(at);
    this.#keep(this.#frame + (index === 0 ? 0 : before));
  }

  /** Only this number of messages is left, and those from `index` on are shown differently. */
  cut(length: number, index: number): void {
    this.#read = Math.min(this.#read, length);
    this.change(Math.min(index, this.#read));
  }

  /** Starts over with a new conversation. */
  reset(): void {
    this.#size = 0;
    this.#read = 0;
    this.#keep(this.#frame);
  }

  /** Forgets what was copied from another session, which has counted it. */
  forget(): void {
    this.countRequests();
    this.#session = new Sum();
    this.#turn = new Sum();
  }

  /** @internal State for a checkpoint. */
  save(): SavedPrefix {
    this.countRequests();
    return {
      frame: this.#frame,
      size: this.#size,
      read: this.#read,
      same: this.#same,
      session: this.#session.save(),
      turn: this.#turn.save(),
    };
  }

  /** @internal Takes over the state of a checkpoint. */
  load({ frame, size, read, same, session, turn }: SavedPrefix): void {
    this.#frame = frame;
    this.#size = size;
    this.#read = read;
    this.#same = same;
    this.#session = new Sum(...session);
    this.#turn = new Sum(...turn);
  }

  #keep(same: number): void {
    if (this.#same !== undefined) this.#same = Math.min(this.#same, same);
  }

  #sizeAt(index: number): number {
    const message = this.#transcript.at(index);
    if (message === undefined || this.#context.withheld.has(message.id)) return 0;
    const isEvicted = message.role === "tool" && this.#context.evicted.has(message.toolCallId);
    return isEvicted ? sizeOfNote : sizeOfMessage(message, this.#context.isAfterChange(index));
  }
}

class Sum {
  #repeated: number;
  #total: number;

  constructor(repeated = 0, total = 0) {
    this.#repeated = repeated;
    this.#total = total;
  }

  save(): readonly [number, number] {
    return [this.#repeated, this.#total];
  }

  add(repeated: number, total: number): void {
    this.#repeated += repeated;
    this.#total += total;
  }

  get share(): number | undefined {
    return this.#total === 0 ? undefined : this.#repeated / this.#total;
  }
}
