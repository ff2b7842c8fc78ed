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
  SessionFold,
  SessionHead,
  SessionRepository,
  StoredEntry,
} from "@capstan/log";
import { EventFeed, entryVersion, isPromise } from "@capstan/log";
import type { PlacedEvent } from "@capstan/log";
import { chain } from "./chain.ts";
import type { Clock } from "./clock.ts";

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
}

export class SessionLog {
  readonly id: string;
  readonly feed: EventFeed;
  readonly #options: SessionLogOptions;
  #reading: Promise<void> | undefined;
  #isStale = false;
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

  now(): number {
    return this.#options.clock.now();
  }

  /** Reads what others have written. Calls that come meanwhile share one more read. */
  catchUp(): MaybePromise<void> {
    if (this.#reading !== undefined) {
      this.#isStale = true;
      return this.#reading;
    }
    const read = this.#read();
    if (!isPromise(read)) return;
    this.#reading = this.#finish(read);
    return this.#reading;
  }

  /** Appends as the owner. What was posted in between is folded first. The entries have the places that they should get. */
  append(entries: readonly Entry[], choices: AppendChoices): MaybePromise<"appended" | "conflict"> {
    const outcome = this.#unwoken(() =>
      this.#options.repository.append(this.id, entries, this.#toOptions(choices)),
    );
    // Without a function of its own where nothing is waited for: every append comes here.
    if (!isPromise(outcome)) return this.#take(entries, outcome, choices);
    return Promise.resolve(outcome).then((later) => this.#take(entries, later, choices));
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
    { head }: AppendChoices,
  ): MaybePromise<"appended" | "conflict"> {
    if (outcome.type === "conflict") return "conflict";
    if (head !== undefined) this.noteHead(head);
    // Assigned in order and without a gap, says the contract: if the first is right, so are the others.
    if (outcome.seqs[0] !== entries[0]?.seq) return chain(this.catchUp(), () => "appended");
    this.#show(this.feed.take(entries));
    return "appended";
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
    return chain(this.#options.repository.append(this.id, [], options), ({ type }) => {
      if (type === "appended") this.noteHead(head);
      return type;
    });
  }

  /** Posts, and goes on when what was posted is folded. */
  post(id: string, body: PostedBody): MaybePromise<Posted> {
    const { repository } = this.#options;
    const envelope = { v: entryVersion, id, seq: this.fold.seq + 1, at: this.now() };
    const entry: PostedEntry & Entry = { ...envelope, ...body };
    return chain(
      this.#unwoken(() => repository.post(this.id, entry)),
      (posted) => {
        // What nobody came before needs not be read back.
        const isNext = posted.isNew && posted.seq === entry.seq && this.fold.seq === entry.seq - 1;
        if (!isNext) return chain(this.catchUp(), () => posted);
        this.#show(this.feed.take([entry]));
        return posted;
      },
    );
  }

  /** Begins the session with these entries, which are the first. */
  create(entries: readonly Entry[], head: SessionHead): MaybePromise<void> {
    const { repository } = this.#options;
    const created = this.#unwoken(() => repository.create(this.id, entries, head));
    return chain(created, () => this.#show(this.feed.take(entries)));
  }

  putBlob(bytes: Uint8Array): MaybePromise<string> {
    return this.#options.repository.putBlob(this.id, bytes);
  }

  /** Undefined if there is none. */
  getBlob(blob: string): MaybePromise<Uint8Array | undefined> {
    return this.#options.repository.getBlob(this.id, blob);
  }

  /** The whole log again, from the store. */
  async readAll(): Promise<readonly StoredEntry[]> {
    const entries: StoredEntry[] = [];
    for (;;) {
      const after = entries.at(-1)?.seq ?? 0;
      const page = await this.#options.repository.read(this.id, { after });
      entries.push(...page.entries);
      if (page.entries.length === 0 || (entries.at(-1)?.seq ?? 0) >= page.lastSeq) return entries;
    }
  }

  /** Hands over the whole log at a moment in which nothing is folded that is not in it. */
  async readWhole<T>(take: (stored: readonly StoredEntry[]) => T): Promise<T> {
    for (;;) {
      // The reader may have seen more elsewhere than we have read.
      await this.catchUp();
      const stored = await this.readAll();
      // More may have been folded while we read.
      if ((stored.at(-1)?.seq ?? 0) >= this.fold.seq) return take(stored);
    }
  }

  /** Whether a wake-up now tells of what we are writing ourselves: its place will tell what else there is. */
  get isAppending(): boolean {
    return this.#isAppending;
  }

  async #finish(read: Promise<void>): Promise<void> {
    try {
      await read;
      while (this.#isStale) {
        this.#isStale = false;
        await this.#read();
      }
    } finally {
      this.#isStale = false;
      this.#reading = undefined;
    }
  }

  #read(): MaybePromise<void> {
    const after = this.fold.seq;
    return chain(this.#options.repository.read(this.id, { after }), ({ entries, lastSeq }) => {
      this.#show(this.feed.takeStored(entries));
      if (entries.length > 0 && this.fold.seq < lastSeq) return this.#read();
    });
  }

  #show(events: readonly PlacedEvent[]): void {
    if (events.length > 0) this.#options.onEvents(events);
    this.#options.onChange();
  }
}
