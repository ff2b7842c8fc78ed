/** `@capstan/stores/postgres`: sessions in PostgreSQL, for any number of processes. */
import { RepositoryError } from "@capstan/log";
import { PostgresRepository } from "./postgres/postgres-repository.ts";
import type { StoreHandle } from "./handle/store-handle.ts";

export type { StoreHandle } from "./handle/store-handle.ts";

export interface PostgresOptions {
  /** Schema of the tables, created if missing. Default `capstan`. */
  readonly schema?: string;
  /** Besides the one that listens. Default 10. */
  readonly maxConnections?: number;
  /** How long a statement may take before it fails. Default 15,000. */
  readonly timeoutMs?: number;
}

/**
 * Connects on first use, creates or updates its tables then, and reconnects by itself. Without a URL it fails at once, with `unavailable`.
 */
export function postgres(url: string | undefined, options: PostgresOptions = {}): StoreHandle {
  const { schema = "capstan", maxConnections = 10, timeoutMs = 15_000 } = options;
  if (url === undefined || url === "") {
    const message = "Missing URL of a PostgreSQL database: pass one, or set DATABASE_URL";
    throw new RepositoryError("unavailable", "", message);
  }
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) {
    const message = `Invalid schema name "${schema}": use lower-case letters, digits and _, at most 51`;
    throw new RepositoryError("unavailable", "", message);
  }
  return new PostgresRepository({ url, schema, maxConnections, timeoutMs });
}
