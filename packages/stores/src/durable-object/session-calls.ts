/** Calls of a session object: the tables of the SQLite store, with one session in them. */
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  DueQuery,
  Lease,
  Posted,
  PostOptions,
  ReadOptions,
  ReadPage,
  SessionHead,
  WriteOptions,
} from "@capstan/log";
import { fromBase64, sessionNotFound, toBase64 } from "@capstan/log";
import { BlobRows } from "../tables/blob-rows.ts";
import type { Holders } from "../tables/lease-rows.ts";
import { JointWrites } from "../tables/joint-writes.ts";
import { LeaseRows } from "../tables/lease-rows.ts";
import { migrations } from "../tables/migrations.ts";
import { SessionRows } from "../tables/session-rows.ts";
import type { EntryText } from "../text/entry-text.ts";
import type { ObjectStorage } from "./bindings.ts";
import { crc32 } from "./crc32.ts";
import { databaseOf, hasTables, migrate } from "./object-database.ts";
import type { Address } from "./reports.ts";
import { Reports, reportMigration } from "./reports.ts";

interface Tables {
  readonly sessions: SessionRows;
  readonly leases: LeaseRows;
  readonly joint: JointWrites;
  readonly blobs: BlobRows;
  readonly reports: Reports;
}

/** Position of a session in the sequence of its writes. Version 0: it was never created. */
export interface Watched {
  readonly version: number;
  readonly lastSeq?: number | undefined;
  readonly incarnation?: string | undefined;
}

/** Leases are held by objects elsewhere: nothing here knows whether one is dead. */
const holders: Holders = { ownIdentity: () => "worker", fateOf: () => "unknown" };

/** How long a call of `watch` waits for a change. */
const watchMs = 20_000;

export class SessionCalls {
  readonly #storage: ObjectStorage;
  /** Undefined before the first `create`: to ask for a session that does not exist must not store anything. */
  #tables: Tables | undefined;
  #changed = Promise.withResolvers<void>();
  readonly #tell: (reports: Reports) => Promise<void>;

  /** `tell` reports to the index, and never fails. */
  constructor(storage: ObjectStorage, tell: (reports: Reports) => Promise<void>) {
    this.#storage = storage;
    this.#tell = tell;
    if (hasTables(storage)) this.#tables = openTables(storage);
  }

  get reports(): Reports | undefined {
    return this.#tables?.reports;
  }

  async create(
    to: Address,
    entries: readonly EntryText[],
    head: SessionHead,
    incarnation?: string | null,
  ): Promise<void> {
    this.#tables ??= openTables(this.#storage);
    await this.#write(to, ({ sessions }) =>
      sessions.create(to.id, entries, head, incarnation ?? undefined),
    );
  }

  async append(
    to: Address,
    entries: readonly EntryText[],
    options: AppendOptions,
  ): Promise<Appended> {
    return this.#write(to, ({ joint }, now) => joint.append(to.id, entries, options, now));
  }

  /** A caller of an earlier version sends no start. */
  async post(
    to: Address,
    entry: EntryText,
    options: PostOptions,
    started: readonly EntryText[] = [],
  ): Promise<Posted> {
    return this.#write(to, ({ joint }, now) => joint.post(to.id, { entry, started }, options, now));
  }

  read({ id }: Address, options: ReadOptions): ReadPage {
    return this.#mustHave(id).sessions.read(id, options);
  }

  async delete(to: Address): Promise<void> {
    if (this.#tables?.sessions.find(to.id) === undefined) return;
    await this.#write(to, ({ sessions }) => sessions.delete(to.id));
  }

  async acquire(to: Address, owner: string, ttlMs: number): Promise<Claim | undefined> {
    return this.#write(to, ({ leases }, now) => leases.acquire(to.id, owner, ttlMs, now));
  }

  /** Not reported: the index then takes the session for due too early, and `claimIfDue` corrects it. */
  renew({ id }: Address, lease: Lease, ttlMs: number): void {
    const { leases } = this.#mustHave(id);
    this.#storage.transactionSync(() => leases.renew(lease, ttlMs, Date.now()));
  }

  async release(to: Address, lease: Lease): Promise<{ readonly lastSeq: number }> {
    return this.#write(to, ({ leases }, now) => ({ lastSeq: leases.release(lease, now) }));
  }

  /** Claims the session if it is due by its own rows. Otherwise the index learns that it is not. */
  async claimIfDue(to: Address, query: DueQuery): Promise<Claim | undefined> {
    const tables = this.#tables;
    if (tables === undefined) return undefined;
    if (!tables.leases.hasDue(query, Date.now())) {
      await this.#tell(tables.reports);
      return undefined;
    }
    const [claim] = await this.#write(to, ({ leases }, now) => leases.claimDue(query, now));
    return claim;
  }

  /** `bytes` in base64. */
  putBlob({ id }: Address, ref: string, bytes: string, options: WriteOptions): string {
    const { blobs } = this.#mustHave(id);
    return this.#storage.transactionSync(() => blobs.put(id, ref, fromBase64(bytes), options));
  }

  /** In base64. */
  getBlob({ id }: Address, ref: string, range?: ByteRange | null): string | undefined {
    const bytes = this.#tables?.blobs.get(id, ref, range ?? undefined);
    // Objects return an `ArrayBuffer`.
    return bytes && toBase64(new Uint8Array(bytes));
  }

  /** Resolves once the session has another version than `after`, or some time has passed. */
  async watch({ id }: Address, after?: number): Promise<Watched> {
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, watchMs);
    if (this.#watched(id).version === after) await Promise.race([this.#changed.promise, timeUp]);
    clearTimeout(timer);
    return this.#watched(id);
  }

  #watched(id: string): Watched {
    const { reports, sessions } = this.#tables ?? {};
    return { version: reports?.version ?? 0, ...sessions?.stateOf(id) };
  }

  /** The rows, their version and the alarm that repairs the index are one write; the index is told after it. */
  async #write<T>(to: Address, run: (tables: Tables, now: number) => T): Promise<T> {
    const tables = this.#mustHave(to.id);
    const value = this.#storage.transactionSync(() => {
      const written = run(tables, Date.now());
      tables.reports.wrote(to);
      return written;
    });
    const armed = tables.reports.arm(this.#storage);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    await armed;
    await this.#tell(tables.reports);
    return value;
  }

  #mustHave(id: string): Tables {
    if (this.#tables === undefined) throw sessionNotFound(id);
    return this.#tables;
  }
}

function openTables(storage: ObjectStorage): Tables {
  migrate(storage, [reportMigration, ...migrations]);
  const database = databaseOf(storage);
  const sessions = new SessionRows(database, crc32);
  const leases = new LeaseRows(database, holders);
  return {
    sessions,
    leases,
    joint: new JointWrites(database, sessions, leases),
    blobs: new BlobRows(database),
    reports: new Reports(database),
  };
}
