/** One session's log as one process knows it: what it has read, folded and shown. */
import type {
  Appended,
  AppendOptions,
  Entry,
  Lease,
  MaybePromise,
  Posted,
  PostedBody,
  PostedEntry,
  ReadPage,
  SessionFold,
  SessionHead,
  SessionRepository,
  StoredEntry,
  WriteOptions,
} from "@capstan/log";
import {
  andThen,
  checkEntries,
  checkEntry,
  entryVersion,
  EventFeed,
  incarnationOf,
  isPromise,
  isRepositoryError,
  orElse,
  RepositoryError,
  sessionGone,
} from "@capstan/log";
import type { PlacedEvent } from "@capstan/log";
import type { Clock } from "../platform/clock.ts";

export interface AppendChoices {
  readonly lease: Lease;
  /** Absent: the stored one stays. */
  readonly head?: SessionHead;
  /** Append only if nothing was posted that we have not seen. */
  readonly isUpToDate?: boolean;
}

export interface SessionLogOptions {
  readonly id: string;
  readonly repository: SessionRepository;
  readonly clock: Clock;
  /** Gets the events of new entries, in order, when they are folded. */
  onEvents(events: readonly PlacedEvent[]): void;
  /** After entries were folded, whether they have events or not. */
  onChange(): void;
  /** The store has no session, or another one, or less of it than was read: nothing that is known here counts any more. */
  onGone(why: RepositoryError): void;
}

/** Entries that are read at a time: other work of the process gets its turn after them. */
const pageEntries = 256;

/** The same for readers, which may leave or have enough after any page. */
const shownEntries = 64;

/** How much of a log is read: the entries after a place, up to the first limit that is reached. */
export interface PartOfLog {
  readonly after: number;
  readonly maxEntries: number;
  /** Characters of their JSON. The entry that reaches it is the last. */
  readonly maxChars: number;
}

/** How often a reader of a whole log tries to overtake its writers. */
const maxRounds = 1_000;

export class SessionLog {
  readonly id: string;
  readonly feed: EventFeed;
  readonly #options: SessionLogOptions;
  /** The read under way, and the one that comes after it for those who asked meanwhile. */
  #reading: Promise<void> | undefined;
  #readingNext: Promise<void> | undefined;
  #isAppending = false;
  /** The `seen` of the head that the store has, as far as we know. */
  #storedSeen = 0;
  /** Whether that head makes the session due, whatever its log says. */
  #isDueAtOnce = false;

  constructor(options: SessionLogOptions) {
    this.id = options.id;
    this.#options = options;
    this.feed = new EventFeed(options.id);
  }

  get fold(): SessionFold {
    return this.feed.fold;
  }

  /** Incarnation of the session. Undefined before anything was read. */
  get incarnation(): string | undefined {
    const { created } = this.fold;
    return created && incarnationOf(created);
  }

  now(): number {
    return this.#options.clock.now();
  }

  /**
   * Reads what others have written; callers wait for two reads at most. Fails with `not_found` if the session is gone, or its id is another
   * session's.
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

  /**
   * Appends as the owner. What was posted in between is folded first. The entries have the places that they should get. Throws
   * `invalid_entry`, before anything is written, for one that could not be read again.
   */
  append(entries: readonly Entry[], choices: AppendChoices): MaybePromise<"appended" | "conflict"> {
    checkEntries(this.id, entries);
    const options = this.#toOptions(choices);
    const outcome = this.#unwoken(() => this.#options.repository.append(this.id, entries, options));
    // Without a function of its own where nothing is waited for: every append comes here.
    if (!isPromise(outcome)) return this.#take(entries, outcome, options);
    return Promise.resolve(outcome).then((later) => this.#take(entries, later, options));
  }

  #toOptions(choices: AppendChoices): AppendOptions {
    if (choices.isUpToDate !== true) return choices;
    const { lease, head } = choices;
    const onlyIfSeq = this.fold.seq;
    return head === undefined ? { lease, onlyIfSeq } : { lease, head, onlyIfSeq };
  }

  /** A store that answers at once wakes us for our own entries, too. */
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
    { head, onlyIfSeq }: AppendOptions,
  ): MaybePromise<"appended" | "conflict"> {
    if (outcome.type === "conflict") return this.#conflict(outcome, onlyIfSeq);
    if (head !== undefined) this.noteHead(head);
    // Assigned in order and without a gap, says the contract: if the first is right, so are the others.
    if (outcome.seqs[0] !== entries[0]?.seq) return andThen(this.catchUp(), () => "appended");
    this.#show(this.feed.take(entries));
    return "appended";
  }

  /** The log has gone on, so that to read it brings something: who tries again after that does not try for ever. */
  #conflict({ lastSeq }: Appended, onlyIfSeq = 0): "conflict" {
    if (lastSeq > onlyIfSeq) return "conflict";
    if (lastSeq < onlyIfSeq) throw this.#gone(this.#cutBack(onlyIfSeq, lastSeq));
    const message = `The store refused an append to session "${this.id}" behind entry ${lastSeq}, which is its last: it does not keep what storeContract states`;
    throw new RepositoryError("unavailable", this.id, message);
  }

  /** The head that the store has now. */
  noteHead({ seen, wakeAt }: SessionHead): void {
    this.#storedSeen = seen;
    this.#isDueAtOnce = wakeAt === 0;
  }

  /** Whether the session is due though nothing is left to do: by something that was posted, or by what was to be done then. */
  get isHeadBehind(): boolean {
    return this.fold.lastPostedSeq > this.#storedSeen || this.#isDueAtOnce;
  }

  /** Stores a head that knows everything, so that what came to nothing makes nobody look again. */
  refreshHead(lease: Lease): MaybePromise<"appended" | "conflict"> {
    const head = this.fold.head(this.now());
    const options = { lease, head, onlyIfSeq: this.fold.seq };
    return andThen(this.#options.repository.append(this.id, [], options), (outcome) => {
      if (outcome.type === "conflict") return this.#conflict(outcome, options.onlyIfSeq);
      this.noteHead(head);
      return "appended";
    });
  }

  /** Posts, and goes on when what was posted is folded. */
  post(id: string, body: PostedBody): MaybePromise<Posted> {
    const { repository } = this.#options;
    const envelope = { v: entryVersion, id, seq: this.fold.seq + 1, at: this.now() };
    const entry: PostedEntry & Entry = { ...envelope, ...body };
    checkEntry(this.id, entry);
    return andThen(
      this.#noticing(() => this.#unwoken(() => repository.post(this.id, entry, this.#meant))),
      (posted) => {
        // What nobody came before needs not be read back.
        const isNext = posted.isNew && posted.seq === entry.seq && this.fold.seq === entry.seq - 1;
        if (!isNext) return andThen(this.catchUp(), () => posted);
        this.#show(this.feed.take([entry]));
        return posted;
      },
    );
  }

  /** For writes without a lease: the id may be another session's by now. */
  get #meant(): WriteOptions {
    return { incarnation: this.incarnation };
  }

  /** Begins the session with these entries, which are the first. */
  create(entries: readonly Entry[], head: SessionHead): MaybePromise<void> {
    const { repository } = this.#options;
    checkEntries(this.id, entries);
    const created = this.#unwoken(() => repository.create(this.id, entries, head));
    return andThen(created, () => this.#show(this.feed.take(entries)));
  }

  putBlob(bytes: Uint8Array): MaybePromise<string> {
    return this.#options.repository.putBlob(this.id, bytes, this.#meant);
  }

  /** Undefined if there is none. */
  getBlob(blob: string): MaybePromise<Uint8Array | undefined> {
    return this.#options.repository.getBlob(this.id, blob);
  }

  /** The whole log again, from the store: as far as it goes when it is asked for. */
  async readAll(): Promise<readonly StoredEntry[]> {
    const entries: StoredEntry[] = [];
    await this.#readOn(entries);
    return entries;
  }

  /** As it is stored. */
  entryAt(seq: number): MaybePromise<StoredEntry> {
    return andThen(this.#readPage(seq - 1, 1), ({ entries: [entry] }) => {
      // There is one, or the page would have been refused.
      return entry as StoredEntry;
    });
  }

  /** Looks through the whole log. */
  hasEntry(id: string): Promise<boolean> {
    return this.readAll().then((entries) => entries.some((entry) => entry.id === id));
  }

  /** Hands over the whole log at a moment in which nothing is folded that is not in it. */
  async readWhole<T>(take: (stored: readonly StoredEntry[]) => T): Promise<T> {
    // The reader may have seen more elsewhere than we have read.
    await this.catchUp();
    const stored: StoredEntry[] = [];
    for (let round = 1; round <= maxRounds; round += 1) {
      await this.#readOn(stored);
      // More may have been folded while we read.
      if (lastOf(stored) >= this.fold.seq) return take(stored);
    }
    const message = `Session "${this.id}" is written faster than it can be read: try again`;
    throw new RepositoryError("unavailable", this.id, message);
  }

  /**
   * Hands over the log a page at a time, and calls `onDone` at a moment in which everything that is folded was handed over. `take` may hold the
   * next page back with a promise, and may stop the reading with false.
   */
  async readPages(
    take: (stored: readonly StoredEntry[]) => MaybePromise<boolean>,
    onDone: () => void,
  ): Promise<void> {
    await this.catchUp();
    let last = 0;
    while (last < this.fold.seq) {
      const { entries } = await this.#readPage(last, shownEntries);
      const folded = entries.filter(({ seq }) => seq <= this.fold.seq);
      if (!(await take(folded))) return;
      last = folded.at(-1)?.seq ?? this.fold.seq;
      if (last < this.fold.seq) await this.#breathe();
    }
    onDone();
  }

  /** Hands over a part of the log at a moment in which nothing of it is not folded. It is the end of the log, or reaches a limit. */
  async readPart<T>(
    { after, maxEntries, maxChars }: PartOfLog,
    take: (stored: readonly StoredEntry[]) => T,
  ): Promise<T> {
    await this.catchUp();
    const part: StoredEntry[] = [];
    let chars = 0;
    let last = after;
    // More may be folded while we read.
    while (last < this.fold.seq && part.length < maxEntries && chars < maxChars) {
      const page = await this.#readPage(last, Math.min(shownEntries, maxEntries - part.length));
      for (const entry of page.entries) {
        if (entry.seq > this.fold.seq || chars >= maxChars) break;
        part.push(entry);
        last = entry.seq;
        chars += JSON.stringify(entry).length;
      }
      await this.#breathe();
    }
    return take(part);
  }

  /** Adds what is there behind the last of them. */
  async #readOn(entries: StoredEntry[]): Promise<void> {
    let end = Infinity;
    while (lastOf(entries) < end) {
      const page = await this.#readPage(lastOf(entries), pageEntries);
      // Entries that are written meanwhile are left to the next read.
      if (end === Infinity) end = page.lastSeq;
      for (const entry of page.entries) entries.push(entry);
      await this.#breathe();
    }
  }

  /** Whether a wake-up now tells of what we are writing ourselves: its place will tell what else there is. */
  get isAppending(): boolean {
    return this.#isAppending;
  }

  async #readAfter(reading: Promise<void>): Promise<void> {
    // Callers who wait for that one are told if it fails.
    await reading.catch(() => {});
    this.#readingNext = undefined;
    await this.catchUp();
  }

  /** Every page goes on from the one before, up to the end of the log. */
  #read(): MaybePromise<void> {
    return andThen(this.#readPage(this.fold.seq, pageEntries), ({ entries, lastSeq }) => {
      this.#show(this.feed.takeStored(entries));
      if (this.fold.seq >= lastSeq) return;
      const pause = this.#breathe();
      return pause === undefined ? this.#read() : pause.then(() => this.#read());
    });
  }

  /** A promise, if other work of the process has waited for too long: a store may answer at once, page after page. */
  #breathe(): Promise<void> | undefined {
    return this.#options.clock.breathe?.();
  }

  #readPage(after: number, limit?: number): MaybePromise<ReadPage> {
    const options = limit === undefined ? { after } : { after, limit };
    const page = this.#noticing(() => this.#options.repository.read(this.id, options));
    return andThen(page, (read) => {
      this.#check(read, after);
      return read;
    });
  }

  /** Checks that a page is of the same session, and goes on where the reader is or is the end. */
  #check({ entries, lastSeq, incarnation }: ReadPage, after: number): void {
    const own = this.incarnation ?? incarnation;
    if (incarnation !== undefined && incarnation !== own) throw this.#gone(sessionGone(this.id));
    if (lastSeq < after) {
      // Without an incarnation there is nothing else to tell sessions of one id apart by.
      throw this.#gone(
        incarnation === undefined ? sessionGone(this.id) : this.#cutBack(after, lastSeq),
      );
    }
    const [first] = entries;
    if (first === undefined ? lastSeq === after : first.seq === after + 1) return;
    const given = first === undefined ? "nothing" : `entry ${first.seq}`;
    const message = `The store gave ${given} after entry ${after} of session "${this.id}", whose last is ${lastSeq}: it does not keep what storeContract states`;
    throw new RepositoryError("unavailable", this.id, message);
  }

  #cutBack(known: number, lastSeq: number): RepositoryError {
    const message = `The log of session "${this.id}" ends at entry ${lastSeq}, and entry ${known} was read before: the store was set back. Open the session again`;
    return new RepositoryError("unavailable", this.id, message);
  }

  #gone(why: RepositoryError): RepositoryError {
    this.#options.onGone(why);
    return why;
  }

  /** Notices a session that was there and is not any more. */
  #noticing<T>(ask: () => MaybePromise<T>): MaybePromise<T> {
    return orElse(ask, (thrown) => {
      const isGone = isRepositoryError(thrown) && thrown.code === "not_found";
      throw isGone && this.fold.seq > 0 ? this.#gone(thrown) : thrown;
    });
  }

  #show(events: readonly PlacedEvent[]): void {
    if (events.length > 0) this.#options.onEvents(events);
    this.#options.onChange();
  }
}

function lastOf(entries: readonly StoredEntry[]): number {
  return entries.at(-1)?.seq ?? 0;
}
