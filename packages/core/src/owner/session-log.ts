/** One session's log as one process knows it: writes it, and keeps what is folded of it in step with the store. */
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
  SessionFold,
  SessionHead,
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
  RepositoryError,
} from "@capstan/log";
import type { FoldedLogOptions } from "./folded-log.ts";
import { FoldedLog } from "./folded-log.ts";
import type { HeldLease } from "./held-lease.ts";
import type { StoredPagesOptions } from "./stored-pages.ts";
import { StoredPages } from "./stored-pages.ts";

export interface AppendChoices {
  readonly lease: Lease;
  /** Absent: the stored head stays. */
  readonly head?: SessionHead;
  /** Append only if this process has seen all posts. */
  readonly isUpToDate?: boolean;
  /** With `isUpToDate`: releases the lease in the same write, if the store can. Called with the last seq once it has. */
  readonly onReleased?: (lastSeq: number) => void;
}

export type SessionLogOptions = StoredPagesOptions & FoldedLogOptions;

export class SessionLog {
  readonly id: string;
  readonly feed: EventFeed;
  readonly pages: StoredPages;
  readonly #options: SessionLogOptions;
  readonly #folded: FoldedLog;
  #isAppending = false;
  /** The `seen` of the stored head, if known. */
  #storedSeen = 0;
  /** Whether the stored head makes the session due, regardless of its log. */
  #isDueAtOnce = false;
  /** Seq before which no checkpoint is attempted. */
  #noCheckpointBefore = 0;

  constructor(options: SessionLogOptions) {
    this.id = options.id;
    this.#options = options;
    this.feed = new EventFeed(options.id);
    this.pages = new StoredPages(options, this.feed);
    this.#folded = new FoldedLog(options, this.feed, this.pages);
  }

  get fold(): SessionFold {
    return this.feed.fold;
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
    return this.#folded.catchUp();
  }

  /** Reads the messages that the checkpoint has left out, if it has: `fold.transcript` then has all of them. Fails like `catchUp`. */
  complete(): MaybePromise<void> {
    return this.#folded.complete();
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

  /**
   * Appends as the owner. Entries posted in between are folded first. The entries must have the seqs they should get. Throws
   * `invalid_entry`, before anything is written, for an entry that could not be read again.
   */
  append(entries: readonly Entry[], choices: AppendChoices): MaybePromise<"appended" | "conflict"> {
    checkEntries(this.id, entries);
    const options = this.#toOptions(choices);
    const outcome = this.#unwoken(() => this.#options.repository.append(this.id, entries, options));
    // Avoids a closure if the store is synchronous: every append comes here.
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
    return this.#folded.take(entries, "appended");
  }

  /** A conflict means that the log has grown, so that a caller that reads it and retries makes progress. */
  #conflict({ lastSeq }: Appended, onlyIfSeq = 0): "conflict" {
    if (lastSeq > onlyIfSeq) return "conflict";
    if (lastSeq < onlyIfSeq) throw this.pages.cutBack(onlyIfSeq, lastSeq);
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
  refreshHead(heldLease: HeldLease): MaybePromise<"appended" | "conflict"> {
    const head = this.fold.head(this.now());
    const { lease } = heldLease;
    const options = { lease, head, onlyIfSeq: this.fold.seq, releases: true };
    return andThen(this.#options.repository.append(this.id, [], options), (outcome) => {
      if (outcome.type === "conflict") return this.#conflict(outcome, options.onlyIfSeq);
      this.noteHead(head);
      if (outcome.isReleased === true) heldLease.onReleased(outcome.lastSeq);
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
      this.pages.noticeIfGone(() => this.#unwoken(() => repository.post(this.id, entry, options))),
      (posted) => {
        // If no other entry came first, there is nothing to read back.
        const isNext = posted.isNew && posted.seq === entry.seq && this.fold.seq === entry.seq - 1;
        if (!isNext) return andThen(this.catchUp(), () => posted);
        return this.#folded.take([entry], posted);
      },
    );
  }

  /** Folds entries that were stored with a post, unless a read has been faster. */
  takeStarted(entries: readonly Entry[]): void {
    if (entries[0]?.seq === this.fold.seq + 1) this.#folded.fold(entries);
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
    return andThen(created, () => this.#folded.fold(entries));
  }

  putBlob(bytes: Uint8Array): MaybePromise<string> {
    return this.#options.repository.putBlob(this.id, bytes, this.#meant);
  }

  /** Undefined if there is no such blob. */
  getBlob(blob: string): MaybePromise<Uint8Array | undefined> {
    return this.#options.repository.getBlob(this.id, blob);
  }

  /** Whether a wake-up now is caused by this process's own write, whose seq shows what else there is. */
  get isAppending(): boolean {
    return this.#isAppending;
  }
}
