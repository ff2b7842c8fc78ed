/** `@capstan/stores/postgres`: sessions in PostgreSQL, for any number of processes. */
import { RepositoryError } from "@capstan/log";
import { nameDatabases } from "./postgres/named-urls.ts";
import { PostgresRepository } from "./postgres/postgres-repository.ts";
import { byAge } from "./rows/list-rows.ts";
import { shardOf } from "./shards/rendezvous.ts";
import { moveAll } from "./shards/move-sessions.ts";
import type { Shard } from "./shards/shard.ts";
import { ShardedRepository } from "./shards/sharded-repository.ts";
import type { StoreHandle } from "./handle/store-handle.ts";

export type { StoreHandle } from "./handle/store-handle.ts";

/** Options of `postgres`. */
export interface PostgresOptions {
  /** Schema of the tables, created if missing. Default `capstan`. */
  readonly schema?: string;
  /** Besides the one that listens. Default 10. */
  readonly maxConnections?: number;
  /** How long a statement may take before it fails. Default 15,000. */
  readonly timeoutMs?: number;
  /**
   * Says that the URL leads to a pooler that gives a connection for a `"session"` or for a `"transaction"`. Default: a pooler is noticed when
   * connecting, and taken for one by transaction. Then statements are not prepared, and the store polls instead of listening.
   */
  readonly pooler?: "session" | "transaction";
  /** Whether statements are prepared. Default: unless a pooler by transaction is in between. Some can prepare: PgBouncer from 1.21 on. */
  readonly prepare?: boolean;
  /** Leads to the server itself, for one connection that listens, if the URL leads to a pooler. With several databases it is not allowed. */
  readonly directUrl?: string;
}

/**
 * Connects on first use, creates or updates its tables then, and reconnects by itself. Without a URL it fails at once, with `unavailable`.
 *
 * With several URLs, each session is in one of the databases, chosen by its id and by the hosts and names in the URLs. If one is away, only
 * its sessions are: `list` and `claimDue` leave them out, with a process warning. URLs that are invalid or lead to one database are refused
 * at once, with `unavailable`.
 */
export function postgres(
  url: string | readonly string[] | undefined,
  options: PostgresOptions = {},
): StoreHandle {
  const urls = typeof url === "object" ? url : [url];
  if (options.directUrl !== undefined && urls.length > 1) {
    const message = "directUrl is for one database: pass one URL, or leave it out";
    throw new RepositoryError("unavailable", "", message);
  }
  const shards = openDatabases(urls, options);
  const [first, second] = shards;
  return second === undefined && first !== undefined
    ? first.store
    : new ShardedRepository(shards, byAge);
}

function openDatabases(
  urls: readonly (string | undefined)[],
  options: PostgresOptions,
): readonly Shard[] {
  const { schema = "capstan", maxConnections = 10, timeoutMs = 15_000 } = options;
  const { pooler, prepare, directUrl } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) {
    const message = `Invalid schema name "${schema}": use lower-case letters, digits and _, at most 51`;
    throw new RepositoryError("unavailable", "", message);
  }
  return nameDatabases(urls).map(({ name, url }) => {
    const connections = { url, maxConnections, timeoutMs, pooler, prepare, directUrl };
    return { name, store: new PostgresRepository({ ...connections, schema }) };
  });
}

/** Returns which of these databases has the session. */
export function databaseOf(urls: readonly string[], sessionId: string): string {
  return shardOf(nameDatabases(urls), sessionId).url;
}

/** Options of `moveSessions`. */
export interface MoveOptions extends Pick<
  PostgresOptions,
  "schema" | "maxConnections" | "timeoutMs" | "pooler" | "prepare"
> {
  /** Stops between two sessions. */
  readonly signal?: AbortSignal;
  /** Called after each session that has moved. */
  readonly onMoved?: (sessionId: string) => void;
}

/**
 * Moves sessions after the list of databases has changed: each that `postgres(to)` looks for in another database than `postgres(from)` did.
 * Returns their number. Stop all hosts first.
 *
 * A session is deleted only after its copy is complete, so an interrupted move loses nothing: run it again. Fails with `unavailable` if a
 * database is away or a session is in use; with `exists` if a session was continued in both databases.
 */
export async function moveSessions(
  from: readonly string[],
  to: readonly string[],
  options: MoveOptions = {},
): Promise<number> {
  const { signal, onMoved, ...connections } = options;
  const before = openDatabases(from, connections);
  const after = openDatabases(to, connections);
  try {
    return await moveAll({ from: before, to: after, signal, onMoved });
  } finally {
    await Promise.all([...before, ...after].map(({ store }) => store.close()));
  }
}
