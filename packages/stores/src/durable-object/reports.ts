/** Reports of a session object to the index. */
import type { Database, Row, Statement } from "../tables/database.ts";
import { parseHead } from "../rows/head-columns.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";
import type { ObjectStorage } from "./bindings.ts";
import type { Report } from "./index-rows.ts";

/** Session of a store. */
export interface Address {
  readonly store: string;
  readonly id: string;
}

/** `told`: the last version that the index has. While it is lower than `version`, an alarm is set. */
export const reportMigration = `
  CREATE TABLE object (
    store TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    told INTEGER NOT NULL,
    is_armed INTEGER NOT NULL
  ) STRICT;
  INSERT INTO object VALUES ('', '', 0, 0, 0);
`;

/** How long after a write the index is repaired, if it was not told. */
const repairMs = 2_000;

export class Reports {
  readonly #state: Statement;
  readonly #wrote: Statement;
  readonly #told: Statement;
  readonly #arm: Statement;
  readonly #session: Statement;

  constructor(database: Database) {
    this.#state = database.prepare("SELECT * FROM object");
    this.#wrote = database.prepare("UPDATE object SET store = ?, id = ?, version = version + 1");
    this.#told = database.prepare("UPDATE object SET told = max(told, ?)");
    this.#arm = database.prepare("UPDATE object SET is_armed = ?");
    this.#session = database.prepare("SELECT last_seq, head, due_at, last_owned FROM sessions");
  }

  get version(): number {
    return this.#row()["version"] as number;
  }

  get isTold(): boolean {
    const { version, told } = this.#row();
    return version === told;
  }

  /** Call in the transaction of each write. */
  wrote({ store, id }: Address): void {
    this.#wrote.run(toPlainText(store), toPlainText(id));
  }

  /** Sets the alarm if none is set. Call right after the transaction: what is not awaited in between is one write. */
  async arm(storage: ObjectStorage): Promise<void> {
    if (this.#row()["is_armed"] === 1) return;
    this.#arm.run(1);
    await storage.setAlarm(Date.now() + repairMs);
  }

  /** Call when the alarm goes off. */
  disarm(): void {
    this.#arm.run(0);
  }

  /** State of the session, for the index of its store. */
  current(): { readonly store: string; readonly report: Report } {
    const { store, id, version } = this.#row() as { store: string; id: string; version: number };
    const key = { id: fromPlainText(id), version };
    const row = this.#session.get();
    return { store: fromPlainText(store), report: row ? { ...key, session: toSession(row) } : key };
  }

  told(version: number): void {
    this.#told.run(version);
  }

  #row(): Row {
    // The migration has made it.
    return this.#state.get() as Row;
  }
}

function toSession(row: Row): NonNullable<Report["session"]> {
  // The selected columns.
  const { last_seq, head, due_at, last_owned } = row as Record<string, number | null>;
  return {
    lastSeq: last_seq as number,
    head: parseHead(head as unknown as string),
    dueAt: due_at as number | null,
    lastOwned: last_owned as number,
  };
}
