/** Sessions in PostgreSQL, for any number of processes on any number of machines. */
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  DueQuery,
  Lease,
  ListQuery,
  LiveFrame,
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
import { incarnationOf, sessionGone, sessionNotFound } from "@capstan/log";
import { toBlobRef } from "../text/blob-ref.ts";
import { toEntryTexts, toPostTexts } from "../text/entry-text.ts";
import { toPlainOrNull, toPlainText } from "../text/plain-text.ts";
import { Relay } from "../watch/relay.ts";
import type { StoreHandle } from "../handle/store-handle.ts";
import { Database } from "./database.ts";
import type { DatabaseOptions } from "./database.ts";
import { LeaseQueries } from "./lease-queries.ts";
import { NoteChannel } from "./note-channel.ts";
import { toRepositoryError } from "./postgres-failure.ts";
import { Presence } from "./presence.ts";
import { SessionQueries } from "./session-queries.ts";
import type { Statements } from "./statements.ts";
import { statementsOf } from "./statements.ts";

export class PostgresRepository implements StoreHandle {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #sessions: SessionQueries;
  readonly #leases: LeaseQueries;
  readonly #presence: Presence;
  readonly #relay: Relay;
  readonly #channel: NoteChannel;

  constructor(options: DatabaseOptions) {
    const database = new Database(options);
    const statements = statementsOf(options.schema);
    this.#database = database;
    this.#statements = statements;
    const presence = new Presence(database, statements);
    this.#presence = presence;
    this.#sessions = new SessionQueries(database, statements, presence);
    this.#leases = new LeaseQueries(database, statements, presence);
    const channel = new NoteChannel({
      database,
      statements,
      onNotes: (notes) => this.#relay.take(notes),
      onGap: () => this.#relay.startAnew(),
      ids: () => this.#relay.ids(),
      onChanged: (id, lastSeq, incarnation) => this.#relay.changed(id, lastSeq, incarnation),
    });
    this.#channel = channel;
    this.#relay = new Relay({
      // Sent after the commit, and once for many writes: a notification within each would serialize all commits.
      tellsChanges: true,
      send: (notes) => channel.send(notes),
      onDemand: (isWanted) => channel.want(isWanted),
    });
  }

  async create(id: string, entries: readonly NewEntry[], head: SessionHead): Promise<void> {
    const texts = toEntryTexts(id, entries);
    const [first] = entries;
    const incarnation = first && incarnationOf(first);
    await this.#guard(id, this.#sessions.create(id, texts, head, incarnation));
    this.#relay.changedLater(id, texts.length, incarnation);
  }

  async append(
    id: string,
    entries: readonly NewEntry[],
    options: AppendOptions,
  ): Promise<Appended> {
    const texts = toEntryTexts(id, entries);
    const appended = await this.#guard(id, this.#sessions.append(id, texts, options));
    const { type, lastSeq } = appended;
    if (type === "appended" && texts.length > 0) this.#relay.changedLater(id, lastSeq);
    return appended;
  }

  async post(id: string, entry: PostedEntry, options: PostOptions = {}): Promise<Posted> {
    const texts = toPostTexts(id, entry, options);
    const posted = await this.#guard(id, this.#sessions.post(id, texts, options));
    const { isNew, seq, claim } = posted;
    if (isNew) this.#relay.changedLater(id, claim?.lastSeq ?? seq);
    return posted;
  }

  async read(id: string, options: ReadOptions = {}): Promise<ReadPage> {
    const page = await this.#guard(id, this.#sessions.read(id, options));
    this.#channel.saw(id, page.lastSeq, page.incarnation);
    return page;
  }

  list(query: ListQuery = {}): Promise<SessionPage> {
    return this.#guard("", this.#sessions.list(query));
  }

  async delete(id: string): Promise<void> {
    await this.#guard(id, this.#sessions.delete(id));
    // Followers read, and find that the session is gone.
    this.#relay.changedLater(id, undefined);
  }

  acquire(id: string, owner: string, ttlMs: number): Promise<Claim | undefined> {
    return this.#guard(id, this.#leases.acquire(id, owner, ttlMs));
  }

  renew(lease: Lease, ttlMs: number): Promise<void> {
    return this.#guard(lease.sessionId, this.#leases.renew(lease, ttlMs));
  }

  release(lease: Lease): Promise<{ readonly lastSeq: number }> {
    return this.#guard(lease.sessionId, this.#leases.release(lease));
  }

  claimDue(query: DueQuery): Promise<readonly Claim[]> {
    return this.#guard("", this.#leases.claimDue(query));
  }

  nextDueInMs(agents: readonly string[]): Promise<number | undefined> {
    return this.#guard("", this.#leases.nextDueInMs(agents));
  }

  async putBlob(
    id: string,
    bytes: Uint8Array,
    { incarnation }: WriteOptions = {},
  ): Promise<string> {
    const ref = toBlobRef(bytes);
    // Copied: the caller may reuse its buffer before the bytes are sent.
    const values = [toPlainText(id), ref, Uint8Array.from(bytes), toPlainOrNull(incarnation)];
    const rows = await this.#guard(id, this.#database.query(this.#statements.putBlob, values));
    if (rows.length > 0) return ref;
    throw incarnation === undefined ? sessionNotFound(id) : sessionGone(id);
  }

  async getBlob(id: string, ref: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const { start, end = maxBytes } = range ?? { start: 0 };
    const from = Math.min(start, maxBytes - 1);
    const length = Math.min(Math.max(0, end - start), maxBytes - 1 - from);
    const values = [toPlainText(id), toPlainText(ref), from, length];
    const [row] = await this.#guard(id, this.#database.query(this.#statements.getBlob, values));
    // A bytea column.
    return row?.["bytes"] as Uint8Array | undefined;
  }

  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    options?: SubscribeOptions,
  ): () => void {
    return this.#relay.subscribe(id, listener, options);
  }

  /** Whether the owner has a successor is checked when frames are sent, for many at once. */
  sendLive({ sessionId, epoch }: Lease, frame: LiveFrame): void {
    if (epoch >= frame.epoch && this.#relay.isFollowed(sessionId)) {
      this.#relay.sendLive(sessionId, frame);
    }
  }

  async close(): Promise<void> {
    this.#relay.close();
    this.#channel.close();
    this.#presence.close();
    await this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #guard<T>(id: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      throw toRepositoryError(thrown, this.#database.name, id);
    }
  }
}

/** PostgreSQL counts them in 32 bits. */
const maxBytes = 2 ** 31 - 1;
