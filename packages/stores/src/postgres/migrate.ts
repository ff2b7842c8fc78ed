/** Brings the tables up to date, safely with many processes starting at once. */
import { RepositoryError } from "@capstan/log";
import type { Sql } from "postgres";
import { migrations } from "./migrations.ts";

/** Part of the driver used here: the pool, or one of its transactions. */
type Queries = Pick<Sql, "unsafe">;

export async function migrate(sql: Sql, schema: string): Promise<void> {
  // Usually there is nothing to do, and no permission is needed.
  if ((await versionOf(sql, schema)) === migrations.length) return;
  await sql.begin(async (transaction) => {
    const lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
    await transaction.unsafe(lock, [`capstan ${schema}`]);
    const version = await versionOf(transaction, schema);
    if (version === undefined) await transaction.unsafe(beginning(schema));
    for (const migration of migrations.slice(version ?? 0)) {
      await transaction.unsafe(migration(schema));
    }
    await transaction.unsafe(`UPDATE ${schema}.migrations SET version = $1`, [migrations.length]);
  });
}

function beginning(schema: string): string {
  return `CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE ${schema}.migrations (version integer NOT NULL);
    INSERT INTO ${schema}.migrations VALUES (0)`;
}

/** Not `to_regclass`: it may still find nothing if another process created the table while we waited for the lock. */
const isThere = `SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE s.nspname = $1 AND c.relname = 'migrations'`;

/** Undefined if there are no tables yet. Fails for tables of a newer version. */
async function versionOf(sql: Queries, schema: string): Promise<number | undefined> {
  const [found] = await sql.unsafe(isThere, [schema]);
  if (found === undefined) return undefined;
  const [row] = await sql.unsafe(`SELECT version FROM ${schema}.migrations`);
  const version = row?.["version"] as number;
  if (version <= migrations.length) return version;
  const message = `The schema "${schema}" was created by a newer version (its tables have version ${version}, this program supports ${migrations.length}): update this program`;
  throw new RepositoryError("unavailable", "", message);
}
