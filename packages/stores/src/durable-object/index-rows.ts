/** Heads and due times of all sessions of a store, as the session objects have reported them. */
import type { DueQuery, ListQuery, SessionHead, SessionPage } from "@capstan/log";
import { headColumns, toHeadValues } from "../rows/head-columns.ts";
import type { ListRow } from "../rows/list-rows.ts";
import { toListPage, toListSelection } from "../rows/list-rows.ts";
import type { Database, Statement } from "../tables/database.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";

/** State of a session, as its object reports it after a commit. */
export interface Report {
  readonly id: string;
  /** Grows with each write of the object: an older report that comes later is ignored. */
  readonly version: number;
  /** Undefined if the session was deleted. */
  readonly session?: {
    readonly lastSeq: number;
    readonly head: SessionHead;
    readonly dueAt: number | null;
    readonly lastOwned: number;
  };
}

/** Changes are new entries at the end; released ones never change. */
export const indexMigrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    head TEXT NOT NULL,
    status TEXT NOT NULL,
    agent TEXT NOT NULL,
    principal TEXT,
    seen INTEGER NOT NULL,
    wake_at REAL,
    updated_at REAL NOT NULL,
    set_aside INTEGER NOT NULL,
    due_at REAL,
    last_owned REAL NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_age ON sessions (updated_at, id);
  CREATE INDEX sessions_of_principal ON sessions (principal, updated_at, id) WHERE principal IS NOT NULL;
  CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE deleted (id TEXT PRIMARY KEY, version INTEGER NOT NULL, at REAL NOT NULL) STRICT;
  CREATE INDEX deleted_by_age ON deleted (at);
  `,
];

/** How long the index remembers a deleted session: no report of it is on its way for longer. */
const deletedMs = 3_600_000;

export class IndexRows {
  readonly #database: Database;
  readonly #put: Statement;
  readonly #remove: Statement;
  readonly #deleted: Statement;
  readonly #setDeleted: Statement;
  readonly #forget: Statement;
  readonly #unmark: Statement;
  readonly #due: Statement;
  readonly #nextDue: Statement;
  readonly #nextDueOf: Statement;

  constructor(database: Database) {
    this.#database = database;
    const columns = `version, last_seq, ${headColumns}, due_at, last_owned`;
    const updates = columns.split(", ").map((column) => `${column} = excluded.${column}`);
    this.#put = database.prepare(
      `INSERT INTO sessions (id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET ${updates.join(", ")} WHERE excluded.version >= version`,
    );
    this.#remove = database.prepare("DELETE FROM sessions WHERE id = ? AND version <= ?");
    this.#deleted = database.prepare("SELECT version FROM deleted WHERE id = ?");
    this.#setDeleted = database.prepare(
      "INSERT INTO deleted VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET version = excluded.version, at = excluded.at",
    );
    this.#forget = database.prepare("DELETE FROM deleted WHERE at < ?");
    this.#unmark = database.prepare("DELETE FROM deleted WHERE id = ?");
    const agents = "agent IN (SELECT value FROM json_each(?))";
    this.#due = database.prepare(
      `SELECT id FROM sessions WHERE due_at <= ? AND ${agents}
       AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY last_owned, n LIMIT ?`,
    );
    this.#nextDue = database.prepare("SELECT min(due_at) AS at FROM sessions");
    this.#nextDueOf = database.prepare(
      `SELECT min(due_at) AS at FROM sessions WHERE due_at > ? AND ${agents}`,
    );
  }

  /** Call within a transaction. */
  report({ id, version, session }: Report, now: number): void {
    const plainId = toPlainText(id);
    const deleted = this.#deleted.get(plainId)?.["version"] as number | undefined;
    if (deleted !== undefined && deleted > version) return;
    if (session === undefined) {
      this.#remove.run(plainId, version);
      this.#setDeleted.run(plainId, version, now);
      this.#forget.run(now - deletedMs);
      return;
    }
    if (deleted !== undefined) this.#unmark.run(plainId);
    const { lastSeq, head, dueAt, lastOwned } = session;
    this.#put.run(plainId, version, lastSeq, ...toHeadValues(head), dueAt, lastOwned);
  }

  list(query: ListQuery): SessionPage {
    const selection = toListSelection(query, "?");
    if (selection === undefined) return { sessions: [] };
    const { where, limit, values } = selection;
    const statement = this.#database.prepare(
      `SELECT id, head, last_seq FROM sessions ${where} ORDER BY updated_at DESC, id DESC LIMIT ${limit}`,
    );
    return toListPage(statement.all(...values) as unknown as ListRow[], query);
  }

  /** Ids of sessions that seem due, in the order in which they are to be claimed, without those in `except`. */
  due(
    { agents }: Pick<DueQuery, "agents">,
    except: readonly string[],
    limit: number,
    now: number,
  ): string[] {
    const rows = this.#due.all(now, namesOf(agents), namesOf(except), limit);
    return rows.map((row) => fromPlainText(row["id"] as string));
  }

  /** Earliest due time, also in the past. */
  nextDue(): number | undefined {
    return (this.#nextDue.get()?.["at"] as number | null) ?? undefined;
  }

  /** Earliest due time after now. */
  nextDueOf(agents: readonly string[], now: number): number | undefined {
    return (this.#nextDueOf.get(now, namesOf(agents))?.["at"] as number | null) ?? undefined;
  }
}

function namesOf(names: readonly string[]): string {
  return JSON.stringify(names.map(toPlainText));
}
