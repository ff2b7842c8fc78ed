/** Brings the tables up to date, whichever of many processes comes first. */
import { RepositoryError } from "@capstan/log";
import type { Sql } from "postgres";
import { migrations } from "./migrations.ts";

/** What of the driver is used here: the pool, or a transaction of it. */
type Queries = Pick<Sql, "unsafe">;

export async function migrate(sql: Sql, schema: string): Promise<void> {
  // Most of the time there is nothing to do, and no right to do it is needed.
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

/** Not by `to_regclass`: that may still say no when another has made the table while we waited for the lock. */
const isThere = `SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE s.nspname = $1 AND c.relname = 'migrations'`;

/** Undefined if there is nothing yet. Fails for tables of a newer version. */
async function versionOf(sql: Queries, schema: string): Promise<number | undefined> {
  const [found] = await sql.unsafe(isThere, [schema]);
  if (found === undefined) return undefined;
  const [row] = await sql.unsafe(`SELECT version FROM ${schema}.migrations`);
  const version = row?.["version"] as number;
  if (version <= migrations.length) return version;
  const message = `The schema "${schema}" was made by a newer version (its tables are version ${version}, this program knows ${migrations.length}): update this program`;
  throw new RepositoryError("unavailable", "", message);
}
