/** The SQLite of a Durable Object, as the tables use one. */
import type { Database, Row, Statement, Value } from "../tables/database.ts";
import type { ObjectStorage, SqlStorage, SqlValue } from "./bindings.ts";

/** Result codes by the name that ends the message of an error. */
const codes: readonly (readonly [name: string, errcode: number])[] = [
  ["SQLITE_CONSTRAINT", 19],
  ["SQLITE_TOOBIG", 18],
  ["SQLITE_FULL", 13],
];

export function databaseOf({ sql }: ObjectStorage): Database {
  return { prepare: (text) => statementOf(sql, text) };
}

/** Runs the migrations that the object does not have yet. */
export function migrate(storage: ObjectStorage, migrations: readonly string[]): void {
  storage.transactionSync(() => {
    const { sql } = storage;
    sql.exec("CREATE TABLE IF NOT EXISTS migrations (n INTEGER PRIMARY KEY) STRICT");
    const done = sql.exec("SELECT n FROM migrations").toArray().length;
    for (const [index, migration] of migrations.entries()) {
      if (index < done) continue;
      sql.exec(migration);
      sql.exec("INSERT INTO migrations VALUES (?)", index);
    }
  });
}

/** True if the object has tables: one that was only asked for a session that does not exist has none. */
export function hasTables({ sql }: ObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").toArray().length > 0;
}

function statementOf(sql: SqlStorage, text: string): Statement {
  const all = (...values: Value[]): Row[] => {
    try {
      return sql.exec(text, ...values.map(toSqlValue)).toArray();
    } catch (thrown) {
      throw withCode(thrown);
    }
  };
  return { all, run: all, get: (...values) => all(...values)[0] };
}

function toSqlValue(value: Value): SqlValue {
  // A copy is an `ArrayBuffer` of exactly these bytes.
  return value instanceof Uint8Array ? value.slice().buffer : value;
}

function withCode(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { message } = thrown;
  const code = codes.find(([name]) => message.includes(name));
  // SQLite's own text for values that are too long, which some versions report without a name.
  const errcode = code?.[1] ?? (message.includes("too big") ? 18 : undefined);
  return errcode === undefined ? thrown : Object.assign(thrown, { errcode });
}
