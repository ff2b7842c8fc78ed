/** Three databases of one server, and ids of sessions in each. */
import { databaseOf } from "@capstan/stores/postgres";
import driver from "postgres";
import type { PostgresServer } from "./postgres-server.ts";
import { startPostgres } from "./postgres-server.ts";

export interface ShardDatabases extends AsyncDisposable {
  readonly server: PostgresServer;
  readonly urls: readonly string[];
}

/** The databases, or why there are none. */
export async function createShardDatabases(): Promise<ShardDatabases | string> {
  // No test of several databases is about power failures: no write needs to wait for the disk.
  const server = await startPostgres(["fsync=off"]);
  if (typeof server === "string") return server;
  const names = ["first", "second", "third"].map((name) => `shard_${name}_${process.pid}`);
  for (const name of names) await administrate(server.url, `CREATE DATABASE ${name}`);
  return {
    server,
    urls: names.map((name) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href),
    async [Symbol.asyncDispose]() {
      for (const name of names) {
        await administrate(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }
      await server.stop();
    },
  };
}

export async function administrate(url: string, statement: string): Promise<void> {
  const sql = driver(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}

/** So many ids whose sessions are in this database. */
export function idsIn(url: string, urls: readonly string[], count: number): string[] {
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n += 1) {
    if (databaseOf(urls, `s${n}`) === url) ids.push(`s${n}`);
  }
  return ids;
}
