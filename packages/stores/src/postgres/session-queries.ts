/** Sessions and their entries in PostgreSQL. */
import type {
  Appended,
  AppendOptions,
  ClaimTerms,
  ListQuery,
  Posted,
  PostedStart,
  PostOptions,
  ReadOptions,
  ReadPage,
  SessionHead,
  SessionPage,
} from "@capstan/log";
import { invalidEntry, leaseOver, sessionExists, sessionGone, sessionNotFound } from "@capstan/log";
import type { EntryText, PostTexts } from "../text/entry-text.ts";
import { toEntry } from "../text/entry-text.ts";
import { toHeadValues } from "../rows/head-columns.ts";
import type { ListRow } from "../rows/list-rows.ts";
import { toListPage, toListSelection } from "../rows/list-rows.ts";
import { fromPlainText, toPlainOrNull, toPlainText } from "../text/plain-text.ts";
import type { Row } from "postgres";
import type { Database, Value } from "./database.ts";
import type { ClaimRow } from "./lease-queries.ts";
import { toClaim } from "./lease-queries.ts";
import { AppendGroups } from "./append-groups.ts";
import { brokenConstraint } from "./postgres-failure.ts";
import type { Presence } from "./presence.ts";
import type { Statements } from "./statements.ts";

/** Longer logs are read in pages, so that no answer is too large. */
const maxPage = 1_000;
const maxSeq = 2 ** 31 - 1;

interface EntryRow {
  readonly last_seq: number;
  readonly incarnation: string | null;
  /** Null if there are no further entries. */
  readonly seq: number | null;
  readonly body: string;
}

interface SessionRow {
  readonly last_seq: number;
  readonly epoch: number;
  readonly is_held: boolean | null;
}

export class SessionQueries {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #presence: Presence;
  readonly #groups: AppendGroups;

  constructor(database: Database, statements: Statements, presence: Presence) {
    this.#database = database;
    this.#statements = statements;
    this.#presence = presence;
    this.#groups = new AppendGroups(database, statements);
  }

  async create(
    id: string,
    entries: readonly EntryText[],
    head: SessionHead,
    incarnation: string | undefined,
  ): Promise<void> {
    const plainIncarnation = toPlainOrNull(incarnation);
    const values = [toPlainText(id), ...toLists(entries), plainIncarnation, ...toHeadValues(head)];
    try {
      await this.#database.query(this.#statements.create, values);
    } catch (thrown) {
      throw brokenConstraint(thrown) === "sessions_by_id" ? sessionExists(id) : thrown;
    }
  }

  async append(
    id: string,
    entries: readonly EntryText[],
    options: AppendOptions,
  ): Promise<Appended> {
    const { lease, head, onlyIfSeq = null, releases } = options;
    if (lease.sessionId !== id) throw leaseOver(id, lease, (await this.#mustFind(id)).epoch);
    // An append that releases the lease has a head: without one, the lease is released by itself.
    const isReleased = releases === true && head !== undefined;
    const lastSeq = await this.#taking(id, () =>
      this.#groups.append({
        id,
        epoch: lease.epoch,
        onlyIfSeq,
        entries,
        head: head && toHeadValues(head),
        isReleased,
      }),
    );
    if (lastSeq === undefined) return this.#refuseAppend(id, options);
    const first = lastSeq - entries.length + 1;
    const seqs = entries.map((_, i) => first + i);
    return { type: "appended", seqs, lastSeq, ...(isReleased && { isReleased }) };
  }

  async post(id: string, { entry, started }: PostTexts, options: PostOptions): Promise<Posted> {
    const { incarnation } = options;
    const plainIncarnation = toPlainOrNull(incarnation);
    const key = [toPlainText(id), toPlainText(entry.id)];
    const values = [...key, entry.text, plainIncarnation];
    const posted = await this.#insertPost(values, started, options);
    if (typeof posted === "object") return posted;
    const [first] = await this.#database.query(this.#statements.seqOf, [...key, plainIncarnation]);
    if (first !== undefined) return { seq: first["seq"] as number, isNew: false };
    if (posted === "taken") throw idTaken(id);
    throw incarnation === undefined ? sessionNotFound(id) : sessionGone(id);
  }

  async read(
    id: string,
    { after = 0, limit = maxPage, fromCheckpoint }: ReadOptions,
  ): Promise<ReadPage> {
    const { read, readFromCheckpoint } = this.#statements;
    const [plainId, count] = [toPlainText(id), Math.min(limit, maxPage)];
    const from = Math.min(Math.max(0, after), maxSeq);
    const found =
      fromCheckpoint === true && after === 0
        ? this.#database.query(readFromCheckpoint, [plainId, count])
        : this.#database.query(read, [plainId, from, count]);
    const rows = (await found) as EntryRow[];
    const [first] = rows;
    if (first === undefined) throw sessionNotFound(id);
    const entries = rows.flatMap(({ seq, body }) => (seq === null ? [] : [toEntry(body, seq)]));
    const { last_seq: lastSeq, incarnation } = first;
    const known = incarnation === null ? undefined : fromPlainText(incarnation);
    return { entries, lastSeq, incarnation: known };
  }

  async list(query: ListQuery): Promise<SessionPage> {
    const selection = toListSelection(query, "$");
    if (selection === undefined) return { sessions: [] };
    const { where, limit, values } = selection;
    const rows = await this.#database.query(this.#statements.list(where, limit), values);
    return toListPage(rows as ListRow[], query);
  }

  async delete(id: string): Promise<void> {
    const { lock, deletions } = this.#statements;
    await this.#database.transaction(async (sql) => {
      // The deletions must see entries appended while we wait for the lock.
      const prepared = { prepare: this.#database.prepares };
      const [row] = await sql.unsafe(lock, [toPlainText(id)], prepared);
      if (row === undefined) return;
      for (const deletion of deletions) await sql.unsafe(deletion, [row["n"] as string], prepared);
    });
  }

  /** Returns why nothing was inserted: the id is in use or the session does not exist, or the id of this or another entry is in use. */
  async #insertPost(
    values: readonly Value[],
    started: readonly EntryText[],
    { claim: terms, start }: PostOptions,
  ): Promise<Posted | "missing" | "taken"> {
    const shown = terms && this.#presence.show();
    if (shown !== undefined) await shown;
    try {
      const [row] = await (terms === undefined
        ? this.#database.query(this.#statements.post, values)
        : this.#insertAndClaim(values, terms, start, started));
      if (row === undefined) return "missing";
      const posted: Posted = { seq: row["last_posted"] as number, isNew: true };
      if (terms === undefined || row["is_claimed"] !== true) return posted;
      // The selected columns.
      const claim = toClaim(row as unknown as ClaimRow, terms.owner);
      const isStarted = claim.lastSeq > posted.seq;
      return isStarted ? { ...posted, claim, isStarted } : { ...posted, claim };
    } catch (thrown) {
      // Another process may have posted it at the same moment.
      if (brokenConstraint(thrown) === "entries_by_id") return "taken";
      throw thrown;
    }
  }

  #insertAndClaim(
    values: readonly Value[],
    { owner, ttlMs }: ClaimTerms,
    start: PostedStart | undefined,
    started: readonly EntryText[],
  ): Promise<Row[]> {
    const { postAndClaim, postAndStart } = this.#statements;
    const all = [...values, toPlainText(owner), ttlMs, this.#presence.guard];
    if (start === undefined || started.length === 0) {
      return this.#database.query(postAndClaim, all);
    }
    const { onlyIfSeq, head } = start;
    const parts = [...toLists(started), onlyIfSeq, ...toHeadValues(head)];
    return this.#database.query(postAndStart, [...all, ...parts]);
  }

  async #taking<T>(id: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (thrown) {
      if (brokenConstraint(thrown) !== "entries_by_id") throw thrown;
      throw idTaken(id);
    }
  }

  /** Finds out why the update matched no row. */
  async #refuseAppend(id: string, { lease }: AppendOptions): Promise<Appended> {
    const { last_seq: lastSeq, epoch, is_held: isHeld } = await this.#mustFind(id);
    if (isHeld !== true || lease.epoch !== epoch) throw leaseOver(id, lease, epoch);
    return { type: "conflict", lastSeq };
  }

  async #mustFind(id: string): Promise<SessionRow> {
    const [row] = await this.#database.query(this.#statements.find, [toPlainText(id)]);
    if (row === undefined) throw sessionNotFound(id);
    // The selected columns.
    return row as SessionRow;
  }
}

function idTaken(id: string): Error {
  return invalidEntry(id, "its id is already in use");
}

/** Converts entries to the statements' parameters: an array of ids and one of bodies. */
function toLists(entries: readonly EntryText[]): [string[], string[]] {
  return [entries.map(({ id }) => toPlainText(id)), entries.map(({ text }) => text)];
}
