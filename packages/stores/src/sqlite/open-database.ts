/** Opens a database of sessions, and brings its tables up to date. */
import { DatabaseSync } from "node:sqlite";
import { RepositoryError } from "@capstan/log";
import { applicationId, migrations } from "./migrations.ts";

export type Durability = "normal" | "full";

export interface OpenOptions {
  readonly durability: Durability;
  /** How long to wait for a lock that another process holds. */
  readonly busyMs: number;
}

export function openDatabase(path: string, { durability, busyMs }: OpenOptions): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyMs });
  try {
    // Before anything is written: a file of somebody else's stays as it is.
    const isOurs = versionOf(database, path) > 0;
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}`);
    if (!isOurs || versionOf(database, path) < migrations.length) migrate(database, path);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Others may be opening the same file: whoever comes second finds nothing left to do. */
function migrate(database: DatabaseSync, path: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const sql of migrations.slice(versionOf(database, path))) database.exec(sql);
    database.exec(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`,
    );
  } catch (thrown) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}

/** How many migrations the file has. Fails for a file of another program, or of a newer version of this one. */
function versionOf(database: DatabaseSync, path: string): number {
  const version = numberOf(database, "PRAGMA user_version");
  const owner = numberOf(database, "PRAGMA application_id");
  const isEmpty = numberOf(database, "SELECT count(*) FROM sqlite_schema") === 0;
  if (!isEmpty && owner !== applicationId) {
    throw unusable(`${path} is a database, but not one of sessions: choose another path`);
  }
  if (version > migrations.length) {
    throw unusable(
      `${path} was written by a newer version (its tables are version ${version}, this program knows ${migrations.length}): update this program`,
    );
  }
  return version;
}

function numberOf(database: DatabaseSync, sql: string): number {
  // Each of these gives one row with one number.
  return Object.values(database.prepare(sql).get() ?? {})[0] as number;
}

function unusable(message: string): RepositoryError {
  return new RepositoryError("unavailable", "", message);
}
