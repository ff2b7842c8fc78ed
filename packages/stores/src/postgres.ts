/** `@capstan/stores/postgres`: sessions in PostgreSQL, for any number of processes. */
import { RepositoryError } from "@capstan/log";
import { nameDatabases } from "./postgres/named-urls.ts";
import { PostgresRepository } from "./postgres/postgres-repository.ts";
import { byAge } from "./rows/list-rows.ts";
import { shardOf } from "./shards/rendezvous.ts";
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
  const { schema = "capstan", maxConnections = 10, timeoutMs = 15_000 } = options;
  const { pooler, prepare, directUrl } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) {
    const message = `Invalid schema name "${schema}": use lower-case letters, digits and _, at most 51`;
    throw new RepositoryError("unavailable", "", message);
  }
  const urls = typeof url === "object" ? url : [url];
  if (directUrl !== undefined && urls.length > 1) {
    const message = "directUrl is for one database: pass one URL, or leave it out";
    throw new RepositoryError("unavailable", "", message);
  }
  const shards: Shard[] = nameDatabases(urls).map(({ name, url: each }) => {
    const connections = { url: each, maxConnections, timeoutMs, pooler, prepare, directUrl };
    return { name, store: new PostgresRepository({ ...connections, schema }) };
  });
  const [first, second] = shards;
  return second === undefined && first !== undefined
    ? first.store
    : new ShardedRepository(shards, byAge);
}

/**
 * Returns which of these databases has the session: for moving sessions after the list of databases has changed.
 */
export function databaseOf(urls: readonly string[], sessionId: string): string {
  return shardOf(nameDatabases(urls), sessionId).url;
}
