/** Folds one session's log and shows its events: entries of other processes, read page by page, and entries that this process stored. */
import type { Entry, EventFeed, MaybePromise, PlacedEvent, StoredEntry } from "@capstan/log";
import { andThen, applyStored, isPromise, SessionFold } from "@capstan/log";
import type { StoredPages } from "./stored-pages.ts";
import { firstPageEntries, nextLimit } from "./stored-pages.ts";

export interface FoldedLogOptions {
  /** Reads the log from its last checkpoint on: without the messages that a summary replaces, until `complete`. */
  readonly isFromCheckpoint: boolean;
  /** Receives the events of new entries, in order, when they are folded. */
  onEvents(events: readonly PlacedEvent[]): void;
  /** Called after entries were folded, whether they have events or not. */
  onChange(): void;
}

/** Entries folded at a time: other work of the process runs in between. */
const foldedEntries = 256;

export class FoldedLog {
  readonly #options: FoldedLogOptions;
  readonly #feed: EventFeed;
  readonly #pages: StoredPages;
  /** The read in progress, and the one after it for callers that asked in the meantime. */
  #reading: Promise<void> | undefined;
  #readingNext: Promise<void> | undefined;
  /** Seq of the checkpoint that the fold was loaded from; 0 if it was not. */
  #checkpoint = 0;
  #completing: Promise<void> | undefined;

  constructor(options: FoldedLogOptions, feed: EventFeed, pages: StoredPages) {
    this.#options = options;
    this.#feed = feed;
    this.#pages = pages;
  }

  /**
   * Reads the entries of other processes; callers wait for two reads at most. Fails with `not_found` if the session is gone, or its id
   * belongs to another session.
   */
  catchUp(): MaybePromise<void> {
    if (this.#reading !== undefined) {
      return (this.#readingNext ??= this.#readAfter(this.#reading));
    }
    const read = this.#read();
    if (!isPromise(read)) return;
    this.#reading = Promise.resolve(read).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAfter(reading: Promise<void>): Promise<void> {
    // The callers of that read get its error.
    await reading.catch(() => {});
    this.#readingNext = undefined;
    await this.catchUp();
  }

  /** Reads page after page, up to the end of the log. */
  #read(
    limit: number = firstPageEntries,
    fromCheckpoint = this.#options.isFromCheckpoint && this.#feed.fold.seq === 0,
  ): MaybePromise<void> {
    const page = this.#pages.read(this.#feed.fold.seq, limit, fromCheckpoint);
    return andThen(page, ({ entries, lastSeq }) => {
      if (fromCheckpoint && !this.#begin(entries)) return this.#read(limit, false);
      return andThen(this.#foldPage(entries), () => {
        if (this.#feed.fold.seq >= lastSeq) return;
        return andThen(this.#pages.breathe(), () => this.#read(nextLimit(limit), false));
      });
    });
  }

  /** Begins where the page does. Returns false if that is not possible: then the log is read from its first entry. */
  #begin([first]: readonly StoredEntry[]): boolean {
    if (first === undefined || first.seq === 1 || this.#feed.fold.seq > 0) return true;
    if (!this.#feed.begin(first)) return false;
    this.#checkpoint = first.seq;
    return true;
  }

  /** Folds a page part by part. Entries that were folded in a pause are skipped. */
  #foldPage(entries: readonly StoredEntry[], from = 0): MaybePromise<void> {
    const end = from + foldedEntries;
    const part = entries.slice(from, end);
    if (this.#needAll(part)) return andThen(this.complete(), () => this.#foldPage(entries, from));
    this.#show(this.#feed.takeStored(part));
    if (end >= entries.length) return;
    return andThen(this.#pages.breathe(), () => this.#foldPage(entries, end));
  }

  /** Folds entries that this process stored after the last one, then returns the outcome of the write. */
  take<T>(entries: readonly Entry[], outcome: T): MaybePromise<T> {
    if (this.#needAll(entries)) {
      return andThen(this.complete(), () => {
        this.fold(entries);
        return outcome;
      });
    }
    this.fold(entries);
    return outcome;
  }

  /** Folds entries that need no others. Entries that were folded before are skipped. */
  fold(entries: readonly Entry[]): void {
    this.#show(this.#feed.take(entries));
  }

  #show(events: readonly PlacedEvent[]): void {
    if (events.length > 0) this.#options.onEvents(events);
    this.#options.onChange();
  }

  /** Whether these entries can only be folded after `complete`. */
  #needAll(entries: readonly (Entry | StoredEntry)[]): boolean {
    const { fold } = this.#feed;
    return fold.transcript.leftOut > 0 && entries.some(({ type }) => fold.needsAll(type));
  }

  /** Reads the messages that the checkpoint has left out, if it has: `fold.transcript` then has all of them. Fails like `catchUp`. */
  complete(): MaybePromise<void> {
    if (this.#feed.fold.transcript.leftOut === 0) return;
    this.#completing ??= this.#readLeftOut().finally(() => {
      this.#completing = undefined;
    });
    return this.#completing;
  }

  async #readLeftOut(): Promise<void> {
    const before = new SessionFold();
    const end = this.#checkpoint;
    for (let limit = firstPageEntries; before.seq < end; limit = nextLimit(limit)) {
      const { entries } = await this.#pages.read(before.seq, Math.min(limit, end - before.seq));
      for (let from = 0; from < entries.length; from += foldedEntries) {
        applyStored(before, entries.slice(from, from + foldedEntries));
        await this.#pages.breathe();
      }
    }
    this.#feed.fillIn(before.transcript.messages);
  }
}
