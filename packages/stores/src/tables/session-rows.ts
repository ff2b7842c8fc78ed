/** Sessions and their entries as rows. */
import type {
  Appended,
  AppendOptions,
  ListQuery,
  Posted,
  ReadOptions,
  ReadPage,
  SessionHead,
  SessionPage,
  StoredEntry,
  WriteOptions,
} from "@capstan/log";
import { invalidEntry, leaseOver, sessionExists, sessionGone, sessionNotFound } from "@capstan/log";
import type { ChecksumOf, EntryText } from "../text/entry-text.ts";
import { checkSum, toEntry } from "../text/entry-text.ts";
import { headColumns, toHeadValues } from "../rows/head-columns.ts";
import type { ListRow } from "../rows/list-rows.ts";
import { toListPage, toListSelection } from "../rows/list-rows.ts";
import type { WatchedState } from "../watch/local-watch.ts";
import { fromPlainText, toPlainOrNull, toPlainText } from "../text/plain-text.ts";
import type { Database, Row, Statement, Value } from "./database.ts";
import { released } from "./lease-rows.ts";
import { isTaken, isTooBig } from "./sqlite-failure.ts";

/** Longer logs are read in pages, so that no caller waits for all of it. */
const maxPage = 1_000;
/** Entries of one statement. Most writes of a turn have no more; longer ones take several statements of the same transaction. */
const maxTogether = 4;
/** Largest seq that fits into an entry's key. */
const maxSeq = 0xff_ff_ff_ff;

/** Whether a write is meant for this session: true if the write names no incarnation, or the session has none. */
export const isMeant = "coalesce(incarnation = ?, 1)";

const valid = "id = ? AND epoch = ? AND expires_at > ? AND last_seq = coalesce(?, last_seq)";

interface KeyRow {
  readonly n: number;
  readonly last_seq: number;
}

interface SessionRow extends KeyRow {
  readonly incarnation: string | null;
  readonly epoch: number;
  readonly expires_at: number | null;
}

interface EntryRow {
  readonly last_seq: number;
  readonly incarnation: string | null;
  /** Null if there are no further entries. */
  readonly seq: number | null;
  readonly body: string;
  /** Null for entries from before there were checksums. */
  readonly checksum: number | null;
}

/** Call every method that writes within a transaction. */
export class SessionRows {
  readonly #database: Database;
  readonly #checksumOf: ChecksumOf<string>;
  readonly #create: Statement;
  /** By the number of entries, less one. */
  readonly #inserts: Statement[] = [];
  readonly #append: Statement;
  readonly #appendWithHead: Statement;
  readonly #appendAndRelease: Statement;
  readonly #post: Statement;
  readonly #seqOf: Statement;
  readonly #read: Statement;
  readonly #readFromCheckpoint: Statement;
  readonly #find: Statement;
  readonly #deletions: readonly Statement[];
  readonly #lists = new Map<string, Statement>();

  constructor(database: Database, checksumOf: ChecksumOf<string>) {
    this.#database = database;
    this.#checksumOf = checksumOf;
    this.#create = database.prepare(
      `INSERT INTO sessions (id, last_seq, incarnation, ${headColumns}, epoch)
       SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, last_epoch FROM deleted RETURNING n`,
    );
    this.#append = database.prepare(
      `UPDATE sessions SET last_seq = last_seq + ? WHERE ${valid} RETURNING n, last_seq`,
    );
    const withHead = `last_seq = last_seq + ?, (${headColumns}) = (?, ?, ?, ?, ?, ?, ?, ?)`;
    this.#appendWithHead = database.prepare(
      `UPDATE sessions SET ${withHead} WHERE ${valid} RETURNING n, last_seq`,
    );
    this.#appendAndRelease = database.prepare(
      `UPDATE sessions SET ${withHead}, ${released} WHERE ${valid} RETURNING n, last_seq`,
    );
    this.#post = database.prepare(
      `UPDATE sessions SET last_seq = last_seq + 1, last_posted = last_seq + 1
       WHERE id = ? AND ${isMeant} RETURNING n, last_seq`,
    );
    this.#seqOf = database.prepare(
      `SELECT e.place & 0xffffffff AS seq FROM sessions s JOIN entries e ON e.session = s.n AND e.id = ?
       WHERE s.id = ? AND ${isMeant}`,
    );
    this.#read = database.prepare(
      `SELECT s.last_seq, s.incarnation, e.place & 0xffffffff AS seq, e.body, e.checksum FROM sessions s
       LEFT JOIN entries e ON e.place > ((s.n << 32) | ?) AND e.place < ((s.n + 1) << 32)
       WHERE s.id = ? ORDER BY e.place LIMIT ?`,
    );
    this.#readFromCheckpoint = database.prepare(
      `SELECT s.last_seq, s.incarnation, e.place & 0xffffffff AS seq, e.body, e.checksum FROM sessions s
       LEFT JOIN entries e ON e.place >= ((s.n << 32) | coalesce(json_extract(s.head, '$.checkpoint'), 0))
         AND e.place < ((s.n + 1) << 32)
       WHERE s.id = ? ORDER BY e.place LIMIT ?`,
    );
    this.#find = database.prepare(
      "SELECT n, last_seq, incarnation, epoch, expires_at FROM sessions WHERE id = ?",
    );
    this.#deletions = [
      "UPDATE deleted SET last_epoch = max(last_epoch, (SELECT epoch FROM sessions WHERE n = ?))",
      "DELETE FROM entries WHERE session = ?",
      "DELETE FROM blobs WHERE session = ?",
      "DELETE FROM sessions WHERE n = ?",
    ].map((sql) => database.prepare(sql));
  }

  create(
    id: string,
    entries: readonly EntryText[],
    head: SessionHead,
    incarnation: string | undefined,
  ): void {
    let n: number;
    try {
      const values = [toPlainOrNull(incarnation), ...toHeadValues(head)];
      // `RETURNING` yields a row unless the statement throws.
      ({ n } = this.#create.get(toPlainText(id), entries.length, ...values) as unknown as KeyRow);
    } catch (thrown) {
      throw isTaken(thrown) ? sessionExists(id) : thrown;
    }
    this.insert(id, n, 1, entries);
  }

  /** With `releases`, a lease is released only along with a head. */
  append(id: string, entries: readonly EntryText[], options: AppendOptions, now: number): Appended {
    const row =
      options.lease.sessionId === id ? this.#count(id, entries.length, options, now) : undefined;
    if (row === undefined) return this.#refuseAppend(id, options, now);
    const { n, last_seq: lastSeq } = row as unknown as KeyRow;
    const first = lastSeq - entries.length + 1;
    this.insert(id, n, first, entries);
    return { type: "appended", seqs: entries.map((_, i) => first + i), lastSeq };
  }

  /** Makes room for so many entries. Undefined if the lease is over or the log has grown. */
  #count(id: string, count: number, options: AppendOptions, now: number): Row | undefined {
    const { lease, head, onlyIfSeq, releases } = options;
    const condition = [toPlainText(id), lease.epoch, now, onlyIfSeq ?? null] as const;
    if (head === undefined) return this.#append.get(count, ...condition);
    const values = toHeadValues(head);
    if (releases !== true) return this.#appendWithHead.get(count, ...values, ...condition);
    return this.#appendAndRelease.get(count, ...values, now, ...condition);
  }

  post(id: string, entry: EntryText, { incarnation }: WriteOptions): Posted {
    const meant = [toPlainText(id), toPlainOrNull(incarnation)] as const;
    const found = this.#seqOf.get(toPlainText(entry.id), ...meant);
    if (found !== undefined) return { seq: found["seq"] as number, isNew: false };
    const row = this.#post.get(...meant);
    if (row === undefined) throw incarnation === undefined ? sessionNotFound(id) : sessionGone(id);
    const { n, last_seq: seq } = row as unknown as KeyRow;
    this.insert(id, n, seq, [entry]);
    return { seq, isNew: true };
  }

  read(id: string, { after = 0, limit = maxPage, fromCheckpoint }: ReadOptions): ReadPage {
    const count = Math.min(limit, maxPage);
    const from = Math.min(Math.max(0, after), maxSeq);
    const plainId = toPlainText(id);
    const found =
      fromCheckpoint === true && after === 0
        ? this.#readFromCheckpoint.all(plainId, count)
        : this.#read.all(from, plainId, count);
    const rows = found as unknown as EntryRow[];
    const [first] = rows;
    if (first === undefined) {
      // No row: the session does not exist, or the limit is 0.
      return { entries: [], ...toState(this.#mustFind(id)) };
    }
    const entries = rows.flatMap((row) => toEntryOf(row, this.#checksumOf));
    return { entries, ...toState(first) };
  }

  stateOf(id: string): WatchedState | undefined {
    const row = this.find(id);
    return row && toState(row);
  }

  find(id: string): SessionRow | undefined {
    // The selected columns.
    return this.#find.get(toPlainText(id)) as unknown as SessionRow | undefined;
  }

  list(query: ListQuery): SessionPage {
    const selection = toListSelection(query, "?");
    if (selection === undefined) return { sessions: [] };
    const { where, limit, values } = selection;
    const rows = this.#listing(where, limit).all(...values) as unknown as ListRow[];
    return toListPage(rows, query);
  }

  delete(id: string): void {
    const row = this.find(id);
    if (row === undefined) return;
    for (const deletion of this.#deletions) deletion.run(row.n);
  }

  /** Adds entries to the session with the number `n`: the first gets the seq `first`. */
  insert(id: string, n: number, first: number, entries: readonly EntryText[]): void {
    for (let from = 0; from < entries.length; from += maxTogether) {
      this.#insertSome(id, n, first + from, entries.slice(from, from + maxTogether));
    }
  }

  #insertSome(id: string, n: number, first: number, entries: readonly EntryText[]): void {
    const statement = this.#inserts[entries.length - 1] ?? this.#prepareInsert(entries.length);
    const values: Value[] = [];
    for (const [i, { id: entryId, text }] of entries.entries()) {
      values.push(n, first + i, n, toPlainText(entryId), text, this.#checksumOf(text));
    }
    try {
      statement.run(...values);
    } catch (thrown) {
      if (!isTaken(thrown) && !isTooBig(thrown)) throw thrown;
      const [only, second] = entries;
      if (only !== undefined && second === undefined) throw toInvalid(thrown, id, only);
      // Together they do not tell which of them was refused.
      for (const [i, entry] of entries.entries()) this.#insertSome(id, n, first + i, [entry]);
    }
  }

  #prepareInsert(count: number): Statement {
    // Node 22 gives no values to parameters with numbers, so `n` is passed twice.
    const rows = Array.from({ length: count }, () => "((? << 32) | ?, ?, ?, ?, ?)");
    const statement = this.#database.prepare(
      `INSERT INTO entries (place, session, id, body, checksum) VALUES ${rows.join(", ")}`,
    );
    this.#inserts[count - 1] = statement;
    return statement;
  }

  #mustFind(id: string): SessionRow {
    const row = this.find(id);
    if (row === undefined) throw sessionNotFound(id);
    return row;
  }

  /** Finds out why the update matched no row. */
  #refuseAppend(id: string, { lease }: AppendOptions, now: number): Appended {
    const { last_seq: lastSeq, epoch, expires_at: expiresAt } = this.#mustFind(id);
    const isValid = lease.sessionId === id && lease.epoch === epoch && now < (expiresAt ?? 0);
    if (!isValid) throw leaseOver(id, lease, epoch);
    return { type: "conflict", lastSeq };
  }

  /** One statement per set of conditions. */
  #listing(where: string, limit: string): Statement {
    const known = this.#lists.get(where);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(
      `SELECT id, head, last_seq FROM sessions ${where} ORDER BY updated_at DESC, id DESC LIMIT ${limit}`,
    );
    this.#lists.set(where, statement);
    return statement;
  }
}

function toInvalid(thrown: unknown, sessionId: string, { id }: EntryText): unknown {
  if (isTaken(thrown)) return invalidEntry(sessionId, `its id "${id}" is already in use`);
  return isTooBig(thrown) ? invalidEntry(sessionId, "it exceeds SQLite's size limit") : thrown;
}

/** Empty if the row belongs to a session without further entries. */
function toEntryOf(
  { seq, body, checksum }: EntryRow,
  checksumOf: ChecksumOf<string>,
): readonly StoredEntry[] {
  if (seq === null) return [];
  checkSum(body, seq, checksum, checksumOf);
  return [toEntry(body, seq)];
}

function toState({
  last_seq: lastSeq,
  incarnation,
}: Pick<EntryRow, "last_seq" | "incarnation">): WatchedState {
  return { lastSeq, incarnation: incarnation === null ? undefined : fromPlainText(incarnation) };
}
