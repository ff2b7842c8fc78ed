/** Sessions in one SQLite file, shared by any number of processes on one machine. */
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  DueQuery,
  Lease,
  ListQuery,
  LiveFrame,
  MaybePromise,
  NewEntry,
  Posted,
  PostedEntry,
  PostOptions,
  ReadOptions,
  ReadPage,
  SessionHead,
  SessionPage,
  SubscribeOptions,
  Wakeup,
  WriteOptions,
} from "@capstan/log";
import { incarnationOf, isPromise } from "@capstan/log";
import type { DatabaseSync } from "node:sqlite";
import { toEntryTexts, toPostTexts } from "../text/entry-text.ts";
import { LocalWatch } from "../watch/local-watch.ts";
import type { StoreHandle } from "../handle/store-handle.ts";
import { BlobRows } from "../tables/blob-rows.ts";
import { LeaseRows } from "../tables/lease-rows.ts";
import { toBlobRef } from "../text/blob-ref.ts";
import { checksumOf } from "../text/checksum.ts";
import { fateOf, ownIdentity } from "../watch/process-identity.ts";
import { NoteRows } from "./note-rows.ts";
import { openDatabase } from "./open-database.ts";
import type { Durability } from "./open-database.ts";
import type { SharedMountPolicy } from "./shared-mount.ts";
import { checkMount } from "./shared-mount.ts";
import { JointWrites } from "../tables/joint-writes.ts";
import { SessionRows } from "../tables/session-rows.ts";
import { closedStore } from "../handle/closed-store.ts";
import { toRepositoryError } from "../tables/sqlite-failure.ts";
import { Transactions } from "./transactions.ts";

/** Options of `sqlite`. */
export interface SqliteOptions {
  /**
   * `normal`, the default: acknowledged writes survive the death of every process; the most recent ones may be lost in a power failure.
   * `full`: they survive that too, and every write waits for the disk, together with the others of its tick.
   */
  readonly durability?: Durability;
  /** How long to wait for a lock that another process holds. Default 5,000. */
  readonly busyMs?: number;
  /**
   * True, the default, to overwrite deleted content with zeros in the file, as soon as the write-ahead log has been copied into it.
   * Otherwise, deleted text can be found in the file until its space is reused.
   */
  readonly secureDelete?: boolean;
  /**
   * Reaction if the file is on a network or bind mount (NFS, SMB, 9p, FUSE …), on which SQLite may damage it: `warn`, the default, `fail`
   * or `ignore`. Detected on Linux only.
   */
  readonly sharedMount?: SharedMountPolicy;
  /** The store's clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * A single session is written at once, so that its turn never waits. If many sessions write in one tick, one transaction for all of them
 * takes half the time: see docs/decisions/0012-stores.md.
 */
const maxAtOnce = 4;

export class SqliteRepository implements StoreHandle {
  readonly #path: string;
  readonly #now: () => number;
  readonly #database: DatabaseSync;
  readonly #transactions: Transactions;
  readonly #sessions: SessionRows;
  readonly #leases: LeaseRows;
  readonly #joint: JointWrites;
  readonly #blobs: BlobRows;
  readonly #watch: LocalWatch;

  constructor(path: string, options: SqliteOptions) {
    const { durability = "normal", busyMs = 5_000, secureDelete = true, now } = options;
    checkMount(path, options.sharedMount ?? "warn");
    this.#path = path;
    this.#now = now ?? (() => Date.now());
    const database = openDatabase(path, { durability, busyMs, secureDelete });
    this.#database = database;
    this.#transactions = new Transactions(database, durability === "full" ? 0 : maxAtOnce);
    this.#sessions = new SessionRows(database, checksumOf);
    this.#leases = new LeaseRows(database, { fateOf, ownIdentity });
    this.#joint = new JointWrites(database, this.#sessions, this.#leases);
    this.#blobs = new BlobRows(database);
    const notes = new NoteRows(database);
    this.#watch = new LocalWatch({
      start: () => notes.start(),
      hasNews: () => notes.hasNews(),
      stateOf: (id) => this.#sessions.stateOf(id),
      epochOf: (id) => this.#sessions.find(id)?.epoch,
      send: (sent) => this.#transactions.atOnce(() => notes.send(sent, this.#now())),
      receive: () => notes.receive(),
    });
  }

  create(id: string, entries: readonly NewEntry[], head: SessionHead): MaybePromise<void> {
    const texts = toEntryTexts(id, entries);
    const [first] = entries;
    const incarnation = first && incarnationOf(first);
    return this.#write(
      id,
      () => this.#sessions.create(id, texts, head, incarnation),
      (_, isAtOnce) => this.#watch.wrote(id, texts.length, isAtOnce, incarnation),
    );
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions): MaybePromise<Appended> {
    const texts = toEntryTexts(id, entries);
    return this.#write(
      id,
      () => this.#joint.append(id, texts, options, this.#now()),
      ({ type, lastSeq }, isAtOnce) => {
        if (type === "appended" && texts.length > 0) this.#watch.wrote(id, lastSeq, isAtOnce);
      },
    );
  }

  post(id: string, entry: PostedEntry, options: PostOptions = {}): MaybePromise<Posted> {
    const texts = toPostTexts(id, entry, options);
    return this.#write(
      id,
      () => this.#joint.post(id, texts, options, this.#now()),
      ({ isNew, seq, claim }, isAtOnce) => {
        if (isNew) this.#watch.wrote(id, claim?.lastSeq ?? seq, isAtOnce);
      },
    );
  }

  read(id: string, options: ReadOptions = {}): ReadPage {
    return this.#guard(id, () => this.#sessions.read(id, options));
  }

  list(query: ListQuery = {}): SessionPage {
    return this.#guard("", () => this.#sessions.list(query));
  }

  delete(id: string): MaybePromise<void> {
    return this.#write(
      id,
      () => this.#sessions.delete(id),
      // Followers read, and find that the session is gone.
      (_, isAtOnce) => this.#watch.wrote(id, undefined, isAtOnce),
    );
  }

  acquire(id: string, owner: string, ttlMs: number): MaybePromise<Claim | undefined> {
    return this.#write(id, () => this.#leases.acquire(id, owner, ttlMs, this.#now()));
  }

  renew(lease: Lease, ttlMs: number): MaybePromise<void> {
    return this.#write(lease.sessionId, () => this.#leases.renew(lease, ttlMs, this.#now()));
  }

  release(lease: Lease): MaybePromise<{ readonly lastSeq: number }> {
    return this.#write(lease.sessionId, () => ({
      lastSeq: this.#leases.release(lease, this.#now()),
    }));
  }

  claimDue(query: DueQuery): MaybePromise<readonly Claim[]> {
    // Usually nothing is due, and then no other writer is blocked.
    const hasWork = this.#guard("", () => this.#leases.hasDue(query, this.#now()));
    if (!hasWork) return [];
    return this.#write("", () => this.#leases.claimDue(query, this.#now()));
  }

  putBlob(id: string, bytes: Uint8Array, options: WriteOptions = {}): MaybePromise<string> {
    // Copied: the caller may reuse its buffer, and the write may come later.
    const kept = new Uint8Array(bytes);
    const ref = toBlobRef(kept);
    return this.#write(id, () => this.#blobs.put(id, ref, kept, options));
  }

  getBlob(id: string, ref: string, range?: ByteRange): Uint8Array | undefined {
    return this.#guard(id, () => this.#blobs.get(id, ref, range));
  }

  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    options?: SubscribeOptions,
  ): () => void {
    return this.#watch.subscribe(id, listener, options);
  }

  sendLive(lease: Lease, frame: LiveFrame): void {
    this.#watch.sendLive(lease, frame);
  }

  async close(): Promise<void> {
    this.#watch.close();
    if (!this.#database.isOpen) return;
    this.#transactions.flush();
    this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #write<T>(
    id: string,
    run: () => T,
    onWritten?: (value: T, isAtOnce: boolean) => void,
  ): MaybePromise<T> {
    const written = this.#guard(id, () => this.#transactions.write(id, run));
    if (!isPromise(written)) {
      onWritten?.(written, true);
      return written;
    }
    return written.then(
      (value) => {
        onWritten?.(value, false);
        return value;
      },
      (thrown: unknown) => {
        throw toRepositoryError(thrown, this.#path, id);
      },
    );
  }

  #guard<T>(id: string, run: () => T): T {
    try {
      return run();
    } catch (thrown) {
      if (!this.#database.isOpen) throw closedStore(this.#path, id);
      throw toRepositoryError(thrown, this.#path, id);
    }
  }
}
