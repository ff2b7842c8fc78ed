/**
 * Connections that are never used again after a loss. The driver connects anew by itself, but what it had half received before then shows
 * in the answers behind it: a row is missing, or a failure is told to somebody else.
 */
import driver from "postgres";
import type { Sql } from "postgres";
import { Deadlines } from "./deadlines.ts";

export interface ConnectionsOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** A statement that takes longer has failed, and nobody knows whether it did something. */
  readonly timeoutMs: number;
}

interface Connection {
  readonly sql: Sql;
  /** Statements under way on it, one behind the other. */
  uses: number;
  /** From the moment in which the driver hears of it, before it connects anew. */
  isLost: boolean;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #deadlines: Deadlines;
  readonly #all = new Set<Connection>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.timeoutMs);
  }

  async use<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const connection = this.#pick();
    connection.uses += 1;
    try {
      const value = await this.#deadlines.watch(work(connection.sql));
      if (connection.isLost) throw new LostError();
      return value;
    } catch (thrown) {
      const isAnswer = isRefusal(thrown);
      if (connection.isLost && isAnswer) throw new LostError();
      if (!isAnswer) this.#lose(connection);
      throw thrown;
    } finally {
      connection.uses -= 1;
    }
  }

  /** Lets what is under way come to its end. */
  async close(): Promise<void> {
    await this.#deadlines.idle();
    this.#deadlines.close();
    await Promise.all(Array.from(this.#all, ({ sql }) => sql.end({ timeout: 0 })));
  }

  /** One that is free, one more, or else that with the least to do. */
  #pick(): Connection {
    let best: Connection | undefined;
    for (const connection of this.#all) {
      if (connection.uses === 0) return connection;
      if (connection.uses < (best?.uses ?? Infinity)) best = connection;
    }
    const isFull = this.#all.size >= this.#options.maxConnections;
    return isFull && best !== undefined ? best : this.#open();
  }

  #open(): Connection {
    const sql = connect(this.#options, { max: 1, onclose: () => this.#lose(connection) });
    const connection: Connection = { sql, uses: 0, isLost: false };
    this.#all.add(connection);
    return connection;
  }

  #lose(connection: Connection): void {
    connection.isLost = true;
    // It may hang: nobody waits for its end.
    if (this.#all.delete(connection)) connection.sql.end({ timeout: 0 }).catch(() => {});
  }
}

class LostError extends Error {
  readonly code = "CONNECTION_CLOSED";

  constructor() {
    super("the connection was lost before its answer");
  }
}

/** Whether the server is there, and has said no. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof driver.PostgresError && thrown.severity === "ERROR";
}

export function connect(
  { url, timeoutMs }: ConnectionsOptions,
  options: { readonly max: number; readonly onclose?: () => void },
): Sql {
  return driver(url, {
    ...options,
    // In seconds. A timer of more than 24 days would fire at once.
    connect_timeout: Math.min(Math.ceil(timeoutMs / 1_000), 2_000_000),
    keep_alive: 30,
    // Seconds until the next attempt to connect. A server that restarts is back within two.
    backoff: (retries: number) => Math.min(2, 2 ** retries / 50) * (0.5 + Math.random() / 2),
    connection: { application_name: "capstan" },
    // A connection that is lost while the driver asks for types is a rejection that nobody can catch, and the end of the process.
    fetch_types: false,
    onnotice: () => {},
  });
}
