/** Opens a session database, and migrates its tables. */
import { DatabaseSync } from "node:sqlite";
import { RepositoryError } from "@capstan/log";
import { applicationId, migrations } from "../tables/migrations.ts";
import { isBusy } from "../tables/sqlite-failure.ts";

export type Durability = "normal" | "full";

export interface OpenOptions {
  readonly durability: Durability;
  /** How long to wait for a lock that another process holds. */
  readonly busyMs: number;
  /** True to overwrite deleted content in the file. */
  readonly secureDelete: boolean;
}

/**
 * The write-ahead log is copied into the file when it has so many pages of 4 KB. By default that is after 1,000, and then many sessions at
 * work copy and sync the same pages again and again.
 */
const pagesPerCheckpoint = 4_000;

/** Longest timeout that SQLite accepts: 24 days. */
const maxBusyMs = 2 ** 31 - 1;

export function openDatabase(
  path: string,
  { durability, busyMs, secureDelete }: OpenOptions,
): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: Math.min(Math.ceil(busyMs), maxBusyMs) });
  try {
    // Checked before anything is written: files of other programs stay unchanged.
    const isOurs = versionOf(database, path) > 0;
    useWal(database, busyMs);
    database.exec(`PRAGMA synchronous = ${durability}`);
    database.exec(`PRAGMA wal_autocheckpoint = ${pagesPerCheckpoint}`);
    database.exec(`PRAGMA secure_delete = ${secureDelete ? "ON" : "OFF"}`);
    if (!isOurs || versionOf(database, path) < migrations.length) migrate(database, path);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Retries, as SQLite does not wait here for other processes that open the same new file. */
function useWal(database: DatabaseSync, busyMs: number): void {
  const until = performance.now() + busyMs;
  for (;;) {
    try {
      return database.exec("PRAGMA journal_mode = WAL");
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= until) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Other processes may be opening the same file: the second one finds nothing left to do. */
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

/** One statement, as another process may be writing these values. */
const readFacts = `SELECT user_version AS version, application_id AS owner, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_user_version, pragma_application_id`;

/** Returns how many migrations the file has. Fails for a file of another program, or of a newer version of this one. */
function versionOf(database: DatabaseSync, path: string): number {
  // Each source has one row, and these are numbers.
  const { version, owner, tables } = database.prepare(readFacts).get() as Record<
    "version" | "owner" | "tables",
    number
  >;
  if (tables > 0 && owner !== applicationId) {
    throw unusable(`${path} is not a session database: choose another path`);
  }
  if (version > migrations.length) {
    throw unusable(
      `${path} was written by a newer version (its tables have version ${version}, this program supports ${migrations.length}): update this program`,
    );
  }
  return version;
}

function unusable(message: string): RepositoryError {
  return new RepositoryError("unavailable", "", message);
}
