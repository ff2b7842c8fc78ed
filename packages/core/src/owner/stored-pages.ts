/** Reads one session's log from the store, page by page, and detects that the store no longer has the session that was read before. */
import type {
  EventFeed,
  MaybePromise,
  ReadPage,
  SessionRepository,
  StoredEntry,
} from "@capstan/log";
import {
  andThen,
  incarnationOf,
  isRepositoryError,
  orElse,
  RepositoryError,
  sessionGone,
} from "@capstan/log";
import type { Clock } from "../platform/clock.ts";

export interface StoredPagesOptions {
  readonly id: string;
  readonly repository: SessionRepository;
  readonly clock: Clock;
  /** Called if the store has no session, another one, or fewer entries than were read: the state in memory is invalid. */
  onGone(why: RepositoryError): void;
}

/** Entries of the first page. Pages grow, so that a long log takes few round trips and a short read asks for little. */
export const firstPageEntries = 256;
/** Entries of the largest page. */
const maxPageEntries = 4_096;

/** Number of entries of the page after one of this size. */
export function nextLimit(limit: number): number {
  return Math.min(4 * limit, maxPageEntries);
}

export class StoredPages {
  readonly #options: StoredPagesOptions;
  /** Holds the part of the session that was read so far. */
  readonly #feed: EventFeed;

  constructor(options: StoredPagesOptions, feed: EventFeed) {
    this.#options = options;
    this.#feed = feed;
  }

  /** Reads the entries after a seq. Fails with `not_found` if the session is gone, or its id belongs to another session. */
  read(
    after: number,
    limit: number = firstPageEntries,
    fromCheckpoint = false,
  ): MaybePromise<ReadPage> {
    const { id, repository } = this.#options;
    const options = fromCheckpoint ? { after, limit, fromCheckpoint } : { after, limit };
    const page = this.noticeIfGone(() => repository.read(id, options));
    return andThen(page, (read) => {
      this.#check(read, after, fromCheckpoint);
      return read;
    });
  }

  /** Returns the stored entry. */
  entryAt(seq: number): MaybePromise<StoredEntry> {
    return andThen(this.read(seq - 1, 1), ({ entries: [entry] }) => {
      // The entry exists, or the page would have been refused.
      return entry as StoredEntry;
    });
  }

  /** Returns a promise if other work of the process has waited too long: a store may answer synchronously, page after page. */
  breathe(): Promise<void> | undefined {
    return this.#options.clock.breathe?.();
  }

  /** Asks the store for something, and detects that the session existed and is gone. */
  noticeIfGone<T>(ask: () => MaybePromise<T>): MaybePromise<T> {
    return orElse(ask, (thrown) => {
      const isGone = isRepositoryError(thrown) && thrown.code === "not_found";
      throw isGone && this.#feed.fold.seq > 0 ? this.#gone(thrown) : thrown;
    });
  }

  /** The store has fewer entries than were read: the error to throw. */
  cutBack(known: number, lastSeq: number): RepositoryError {
    const { id } = this.#options;
    const message = `The log of session "${id}" ends at entry ${lastSeq}, but entry ${known} was read before: the store was rolled back. Open the session again`;
    return this.#gone(new RepositoryError("unavailable", id, message));
  }

  /** Checks that a page belongs to the same session, and continues at the reader's position or is the end. */
  #check(
    { entries, lastSeq, incarnation }: ReadPage,
    after: number,
    fromCheckpoint: boolean,
  ): void {
    const { id } = this.#options;
    const { created } = this.#feed.fold;
    const own = (created && incarnationOf(created)) ?? incarnation;
    if (incarnation !== undefined && incarnation !== own) throw this.#gone(sessionGone(id));
    if (lastSeq < after) {
      // Without an incarnation, nothing else distinguishes sessions with the same id.
      throw incarnation === undefined ? this.#gone(sessionGone(id)) : this.cutBack(after, lastSeq);
    }
    // From a checkpoint it may begin anywhere. It is empty if the log was cut before the checkpoint, and is then read from its first entry.
    if (fromCheckpoint) return;
    const [first] = entries;
    if (first === undefined ? lastSeq === after : first.seq === after + 1) return;
    const given = first === undefined ? "nothing" : `entry ${first.seq}`;
    const message = `The store returned ${given} after entry ${after} of session "${id}", whose last is ${lastSeq}: it violates storeContract`;
    throw new RepositoryError("unavailable", id, message);
  }

  #gone(why: RepositoryError): RepositoryError {
    this.#options.onGone(why);
    return why;
  }
}
