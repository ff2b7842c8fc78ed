/** One session's log as one process knows it: reads it, folds it and shows its events. */
import type {
  Appended,
  AppendOptions,
  ClaimTerms,
  Entry,
  Lease,
  MaybePromise,
  Posted,
  PostedBody,
  PostedEntry,
  PostedStart,
  ReadPage,
  SessionHead,
  SessionRepository,
  StoredEntry,
  WriteOptions,
} from "@capstan/log";
import {
  andThen,
  applyStored,
  checkEntries,
  checkEntry,
  entryVersion,
  EventFeed,
  incarnationOf,
  isPromise,
  isRepositoryError,
  orElse,
  RepositoryError,
  SessionFold,
  sessionGone,
} from "@capstan/log";
import type { PlacedEvent } from "@capstan/log";
import type { Clock } from "../platform/clock.ts";

export interface AppendChoices {
  readonly lease: Lease;
  /** Absent: the stored head stays. */
  readonly head?: SessionHead;
  /** Append only if this process has seen all posts. */
  readonly isUpToDate?: boolean;
  /** With `isUpToDate`: releases the lease in the same write, if the store can. Called with the last seq once it has. */
  readonly onReleased?: (lastSeq: number) => void;
}

export interface SessionLogOptions {
  readonly id: string;
  /** Reads the log from its last checkpoint on: without the messages that a summary replaces, until `complete`. */
  readonly isFromCheckpoint: boolean;
  readonly repository: SessionRepository;
  readonly clock: Clock;
  /** Receives the events of new entries, in order, when they are folded. */
  onEvents(events: readonly PlacedEvent[]): void;
  /** Called after entries were folded, whether they have events or not. */
  onChange(): void;
  /** Called if the store has no session, another one, or fewer entries than were read: the state in memory is invalid. */
  onGone(why: RepositoryError): void;
}

/** Entries folded at a time: other work of the process runs in between. */
const foldedEntries = 256;
/** Entries of the largest page. Pages grow, so that a long log takes few round trips and a short read asks for little. */
const maxPageEntries = 4_096;

export class SessionLog {
  readonly id: string;
  readonly feed: EventFeed;
  readonly #options: SessionLogOptions;
  /** The read in progress, and the one after it for callers that asked in the meantime. */
  #reading: Promise<void> | undefined;
  #readingNext: Promise<void> | undefined;
  #isAppending = false;
  #isAnsweredLater = false;
  /** The `seen` of the stored head, if known. */
  #storedSeen = 0;
  /** Whether the stored head makes the session due, regardless of its log. */
  #isDueAtOnce = false;
  /** Seq of the checkpoint that the fold was loaded from; 0 if it was not. */
  #checkpoint = 0;
  #completing: Promise<void> | undefined;
  /** Seq before which no checkpoint is attempted. */
  #noCheckpointBefore = 0;

  constructor(options: SessionLogOptions) {
    this.id = options.id;
    this.#options = options;
    this.feed = new EventFeed(options.id);
  }

  get fold(): SessionFold {
    return this.feed.fold;
  }

  /** Whether the store answered the last append asynchronously. */
  get isAnsweredLater(): boolean {
    return this.#isAnsweredLater;
  }

  /** Incarnation of the session. Undefined before the first read. */
  get incarnation(): string | undefined {
    const { created } = this.fold;
    return created && incarnationOf(created);
  }

  now(): number {
    return this.#options.clock.now();
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

  /** Whether a checkpoint would save a reader this number of entries. */
  isCheckpointDue(entries: number): boolean {
    const { seq, uncheckedEntries } = this.fold;
    return uncheckedEntries > 0 && uncheckedEntries >= entries && seq >= this.#noCheckpointBefore;
  }

  /** The state is too long for a checkpoint: computing it before each turn would cost more than it saves. */
  postponeCheckpoint(): void {
    this.#noCheckpointBefore = 2 * this.fold.seq;
  }

  /** Reads the messages that the checkpoint has left out, if it has: `fold.transcript` then has all of them. Fails like `catchUp`. */
  complete(): MaybePromise<void> {
    if (this.fold.transcript.leftOut === 0) return;
    this.#completing ??= this.#readLeftOut().finally(() => {
      this.#completing = undefined;
    });
    return this.#completing;
  }

  async #readLeftOut(): Promise<void> {
    const before = new SessionFold();
    const end = this.#checkpoint;
    for (let limit = foldedEntries; before.seq < end; limit = nextLimit(limit)) {
      const { entries } = await this.readPage(before.seq, Math.min(limit, end - before.seq));
      for (let from = 0; from < entries.length; from += foldedEntries) {
        applyStored(before, entries.slice(from, from + foldedEntries));
        await this.breathe();
      }
    }
    this.feed.fillIn(before.transcript.messages);
  }

  /** Whether these entries can only be folded after `complete`. */
  #needAll(entries: readonly (Entry | StoredEntry)[]): boolean {
    const { fold } = this;
    return fold.transcript.leftOut > 0 && entries.some(({ type }) => fold.needsAll(type));
  }

  /**
   * Appends as the owner. Entries posted in between are folded first. The entries must have the seqs they should get. Throws
   * `invalid_entry`, before anything is written, for an entry that could not be read again.
   */
  append(entries: readonly Entry[], choices: AppendChoices): MaybePromise<"appended" | "conflict"> {
    checkEntries(this.id, entries);
    const options = this.#toOptions(choices);
    const outcome = this.#unwoken(() => this.#options.repository.append(this.id, entries, options));
    // Avoids a closure if the store is synchronous: every append comes here.
    this.#isAnsweredLater = isPromise(outcome);
    if (!isPromise(outcome)) return this.#take(entries, outcome, choices, options);
    return Promise.resolve(outcome).then((later) => this.#take(entries, later, choices, options));
  }

  #toOptions(choices: AppendChoices): AppendOptions {
    if (choices.isUpToDate !== true) return choices;
    const { lease, head, onReleased } = choices;
    const onlyIfSeq = this.fold.seq;
    if (onReleased !== undefined) return { lease, head, onlyIfSeq, releases: true };
    return head === undefined ? { lease, onlyIfSeq } : { lease, head, onlyIfSeq };
  }

  /** A synchronous store wakes this process for its own entries, too. */
  #unwoken<T>(write: () => T): T {
    this.#isAppending = true;
    try {
      return write();
    } finally {
      this.#isAppending = false;
    }
  }

  #take(
    entries: readonly Entry[],
    outcome: Appended,
    { head, onReleased }: AppendChoices,
    { onlyIfSeq }: AppendOptions,
  ): MaybePromise<"appended" | "conflict"> {
    if (outcome.type === "conflict") return this.#conflict(outcome, onlyIfSeq);
    if (head !== undefined) this.noteHead(head);
    if (outcome.isReleased === true) onReleased?.(outcome.lastSeq);
    // The contract assigns seqs in order and without a gap: if the first is right, so are the others.
    if (outcome.seqs[0] !== entries[0]?.seq) return andThen(this.catchUp(), () => "appended");
    return this.#needAll(entries)
      ? andThen(this.complete(), () => this.#fold(entries, "appended"))
      : this.#fold(entries, "appended");
  }

  /** A conflict means that the log has grown, so that a caller that reads it and retries makes progress. */
  #conflict({ lastSeq }: Appended, onlyIfSeq = 0): "conflict" {
    if (lastSeq > onlyIfSeq) return "conflict";
    if (lastSeq < onlyIfSeq) throw this.#gone(this.#cutBack(onlyIfSeq, lastSeq));
    const message = `The store refused an append to session "${this.id}" after entry ${lastSeq}, which is its last: it violates storeContract`;
    throw new RepositoryError("unavailable", this.id, message);
  }

  /** Remembers the head that is stored now. */
  noteHead({ seen, wakeAt }: SessionHead): void {
    this.#storedSeen = seen;
    this.#isDueAtOnce = wakeAt === 0;
  }

  /** Whether the session is due although it has nothing left to do: because of an entry that was posted, or of earlier work. */
  get isHeadBehind(): boolean {
    return this.fold.lastPostedSeq > this.#storedSeen || this.#isDueAtOnce;
  }

  /**
   * Stores a current head, so that entries without effect do not make the session due again, and releases the lease in the same write, if the
   * store can.
   */
  refreshHead(
    lease: Lease,
    onReleased: (lastSeq: number) => void,
  ): MaybePromise<"appended" | "conflict"> {
    const head = this.fold.head(this.now());
    const options = { lease, head, onlyIfSeq: this.fold.seq, releases: true };
    return andThen(this.#options.repository.append(this.id, [], options), (outcome) => {
      if (outcome.type === "conflict") return this.#conflict(outcome, options.onlyIfSeq);
      this.noteHead(head);
      if (outcome.isReleased === true) onReleased(outcome.lastSeq);
      return "appended";
    });
  }

  /**
   * Posts an entry; returns once it is folded. `claim`: asks for the lease in the same write; `start`: begins the turn in it. The entries of
   * the start are not folded: see `takeStarted`.
   */
  post(
    id: string,
    body: PostedBody,
    claim?: ClaimTerms,
    start?: PostedStart,
  ): MaybePromise<Posted> {
    const { repository } = this.#options;
    const envelope = { v: entryVersion, id, seq: this.fold.seq + 1, at: this.now() };
    const entry: PostedEntry & Entry = { ...envelope, ...body };
    checkEntry(this.id, entry);
    const options = { ...this.#meant, claim, ...(start !== undefined && { start }) };
    return andThen(
      this.#noticing(() => this.#unwoken(() => repository.post(this.id, entry, options))),
      (posted) => {
        // If no other entry came first, there is nothing to read back.
        const isNext = posted.isNew && posted.seq === entry.seq && this.fold.seq === entry.seq - 1;
        if (!isNext) return andThen(this.catchUp(), () => posted);
        return this.#needAll([entry])
          ? andThen(this.complete(), () => this.#fold([entry], posted))
          : this.#fold([entry], posted);
      },
    );
  }

  /** Folds entries that were stored with a post, unless a read has been faster. */
  takeStarted(entries: readonly Entry[]): void {
    if (entries[0]?.seq === this.fold.seq + 1) this.#show(this.feed.take(entries));
  }

  /** For writes without a lease: the id may belong to another session by now. */
  get #meant(): WriteOptions {
    return { incarnation: this.incarnation };
  }

  /** Creates the session with these first entries. */
  create(entries: readonly Entry[], head: SessionHead): MaybePromise<void> {
    const { repository } = this.#options;
    checkEntries(this.id, entries);
    const created = this.#unwoken(() => repository.create(this.id, entries, head));
    return andThen(created, () => this.#show(this.feed.take(entries)));
  }

  putBlob(bytes: Uint8Array): MaybePromise<string> {
    return this.#options.repository.putBlob(this.id, bytes, this.#meant);
  }

  /** Undefined if there is no such blob. */
  getBlob(blob: string): MaybePromise<Uint8Array | undefined> {
    return this.#options.repository.getBlob(this.id, blob);
  }

  /** Returns the stored entry. */
  entryAt(seq: number): MaybePromise<StoredEntry> {
    return andThen(this.readPage(seq - 1, 1), ({ entries: [entry] }) => {
      // The entry exists, or the page would have been refused.
      return entry as StoredEntry;
    });
  }

  /** Whether a wake-up now is caused by this process's own write, whose seq shows what else there is. */
  get isAppending(): boolean {
    return this.#isAppending;
  }

  async #readAfter(reading: Promise<void>): Promise<void> {
    // The callers of that read get its error.
    await reading.catch(() => {});
    this.#readingNext = undefined;
    await this.catchUp();
  }

  /** Reads page after page, up to the end of the log. */
  #read(
    limit: number = foldedEntries,
    fromCheckpoint = this.#options.isFromCheckpoint && this.fold.seq === 0,
  ): MaybePromise<void> {
    const page = this.readPage(this.fold.seq, limit, fromCheckpoint);
    return andThen(page, ({ entries, lastSeq }) => {
      if (fromCheckpoint && !this.#begin(entries)) return this.#read(limit, false);
      return andThen(this.#foldPage(entries), () => {
        if (this.fold.seq >= lastSeq) return;
        return andThen(this.breathe(), () => this.#read(nextLimit(limit), false));
      });
    });
  }

  /** Begins where the page does. Returns false if that is not possible: then the log is read from its first entry. */
  #begin([first]: readonly StoredEntry[]): boolean {
    if (first === undefined || first.seq === 1 || this.fold.seq > 0) return true;
    if (!this.feed.begin(first)) return false;
    this.#checkpoint = first.seq;
    return true;
  }

  /** Folds a page part by part. Entries that were folded in a pause are skipped. */
  #foldPage(entries: readonly StoredEntry[], from = 0): MaybePromise<void> {
    const end = from + foldedEntries;
    const part = entries.slice(from, end);
    if (this.#needAll(part)) return andThen(this.complete(), () => this.#foldPage(entries, from));
    this.#show(this.feed.takeStored(part));
    if (end >= entries.length) return;
    return andThen(this.breathe(), () => this.#foldPage(entries, end));
  }

  /** Returns a promise if other work of the process has waited too long: a store may answer synchronously, page after page. */
  breathe(): Promise<void> | undefined {
    return this.#options.clock.breathe?.();
  }

  /** Reads the entries after a seq from the store. Fails like `catchUp`. */
  readPage(
    after: number,
    limit: number = foldedEntries,
    fromCheckpoint = false,
  ): MaybePromise<ReadPage> {
    const options = fromCheckpoint ? { after, limit, fromCheckpoint } : { after, limit };
    const page = this.#noticing(() => this.#options.repository.read(this.id, options));
    return andThen(page, (read) => {
      this.#check(read, after, fromCheckpoint);
      return read;
    });
  }

  /** Checks that a page belongs to the same session, and continues at the reader's position or is the end. */
  #check(
    { entries, lastSeq, incarnation }: ReadPage,
    after: number,
    fromCheckpoint: boolean,
  ): void {
    const own = this.incarnation ?? incarnation;
    if (incarnation !== undefined && incarnation !== own) throw this.#gone(sessionGone(this.id));
    if (lastSeq < after) {
      // Without an incarnation, nothing else distinguishes sessions with the same id.
      throw this.#gone(
        incarnation === undefined ? sessionGone(this.id) : this.#cutBack(after, lastSeq),
      );
    }
    const [first] = entries;
    if (first === undefined ? lastSeq === after : first.seq === after + 1) return;
    if (fromCheckpoint && first !== undefined) return;
    const given = first === undefined ? "nothing" : `entry ${first.seq}`;
    const message = `The store returned ${given} after entry ${after} of session "${this.id}", whose last is ${lastSeq}: it violates storeContract`;
    throw new RepositoryError("unavailable", this.id, message);
  }

  #cutBack(known: number, lastSeq: number): RepositoryError {
    const message = `The log of session "${this.id}" ends at entry ${lastSeq}, but entry ${known} was read before: the store was rolled back. Open the session again`;
    return new RepositoryError("unavailable", this.id, message);
  }

  #gone(why: RepositoryError): RepositoryError {
    this.#options.onGone(why);
    return why;
  }

  /** Detects a session that existed and is gone. */
  #noticing<T>(ask: () => MaybePromise<T>): MaybePromise<T> {
    return orElse(ask, (thrown) => {
      const isGone = isRepositoryError(thrown) && thrown.code === "not_found";
      throw isGone && this.fold.seq > 0 ? this.#gone(thrown) : thrown;
    });
  }

  /** Folds new entries, then returns the outcome of the write. */
  #fold<T>(entries: readonly Entry[], outcome: T): T {
    this.#show(this.feed.take(entries));
    return outcome;
  }

  #show(events: readonly PlacedEvent[]): void {
    if (events.length > 0) this.#options.onEvents(events);
    this.#options.onChange();
  }
}

function nextLimit(limit: number): number {
  return Math.min(4 * limit, maxPageEntries);
}
