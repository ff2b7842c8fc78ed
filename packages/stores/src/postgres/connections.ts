/**
 * Connections that are never reused after a loss. The driver reconnects by itself, but a partly received answer then corrupts the answers
 * after it: a row is missing, or a failure is reported to the wrong caller.
 */
import driver from "postgres";
import type { Sql } from "postgres";
import { Deadlines } from "./deadlines.ts";

export interface ConnectionsOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Statements that take longer fail, with an unknown outcome. */
  readonly timeoutMs: number;
}

interface Connection {
  readonly sql: Sql;
  /** Statements in progress, pipelined. */
  uses: number;
  /** Set as soon as the driver reports the loss, before it reconnects. */
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

  /** Waits for statements in progress. */
  async close(): Promise<void> {
    await this.#deadlines.idle();
    this.#deadlines.close();
    await Promise.all(Array.from(this.#all, ({ sql }) => sql.end({ timeout: 0 })));
  }

  /** Returns an idle connection, a new one, or else the one with the fewest statements. */
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
    // It may hang: no caller awaits its end.
    if (this.#all.delete(connection)) connection.sql.end({ timeout: 0 }).catch(() => {});
  }
}

class LostError extends Error {
  readonly code = "CONNECTION_CLOSED";

  constructor() {
    super("the connection was lost before the answer arrived");
  }
}

/** True if the server answered with an error. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof driver.PostgresError && thrown.severity === "ERROR";
}

export function connect(
  { url, timeoutMs }: ConnectionsOptions,
  options: { readonly max: number; readonly onclose?: () => void },
): Sql {
  return driver(url, {
    ...options,
    // Seconds. A timer of more than 24 days would fire at once.
    connect_timeout: Math.min(Math.ceil(timeoutMs / 1_000), 2_000_000),
    keep_alive: 30,
    // Seconds until the next attempt to connect. A restarting server is usually back within two.
    backoff: (retries: number) => Math.min(2, 2 ** retries / 50) * (0.5 + Math.random() / 2),
    connection: { application_name: "capstan" },
    // If a connection is lost while the driver queries types, it rejects a promise that cannot be caught, which ends the process.
    fetch_types: false,
    onnotice: () => {},
  });
}
