/**
 * Connections that are never reused after a loss. The driver reconnects by itself, but a partly received answer then corrupts the answers
 * after it: a row is missing, or a failure is reported to the wrong caller.
 */
import driver from "postgres";
import type { Sql, TransactionSql } from "postgres";
import { Deadlines } from "./deadlines.ts";

export interface ConnectionsOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Statements that take longer fail, with an unknown outcome. */
  readonly timeoutMs: number;
}

interface DriverOptions {
  readonly max: number;
  /** Also for the statements that the driver sends by itself. Default true. */
  readonly prepare?: boolean;
  readonly onclose?: () => void;
}

interface Connection {
  readonly sql: Sql;
  /** Statements in progress, pipelined. */
  uses: number;
  /** Set as soon as the driver reports the loss, before it reconnects. */
  isLost: boolean;
  /** Resolves once the driver of a lost connection takes no more statements. */
  ended: Promise<unknown> | undefined;
  /** Called once. */
  onLost: (() => void) | undefined;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #deadlines: Deadlines;
  readonly #all = new Set<Connection>();
  #prepares = true;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.timeoutMs);
  }

  use<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    return this.#use(({ sql }) => work(sql));
  }

  /** Work whose effect lasts as long as its connection. If it succeeds, `onLost` is called when that is lost. */
  useUntilLost(work: (sql: Sql) => Promise<void>, onLost: () => void): Promise<void> {
    return this.#use(async (connection) => {
      await work(connection.sql);
      connection.onLost = onLost;
    });
  }

  /**
   * The driver rolls back as soon as the work fails. On a connection that was just lost it would write to no socket, in a callback of its own,
   * which ends the process (porsager/postgres issue 1154). So the work fails once the driver has ended.
   */
  transaction<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T> {
    return this.#use((connection) => {
      const begun = connection.sql.begin(async (sql) => {
        try {
          return await work(sql);
        } catch (thrown) {
          await connection.ended;
          throw thrown;
        }
      });
      // The driver unwraps arrays of promises; there are none here.
      return begun as Promise<T>;
    });
  }

  async #use<T>(work: (connection: Connection) => PromiseLike<T>): Promise<T> {
    const connection = this.#pick();
    connection.uses += 1;
    try {
      const value = await this.#deadlines.watch(work(connection));
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

  /** From now on nothing is prepared. Called while no statement is in progress. */
  async stopPreparing(): Promise<void> {
    this.#prepares = false;
    const all = [...this.#all];
    this.#all.clear();
    await Promise.all(all.map(({ sql }) => sql.end({ timeout: 0 })));
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
    const onclose = (): void => this.#lose(connection);
    const sql = connect(this.#options, { max: 1, prepare: this.#prepares, onclose });
    const connection: Connection = {
      sql,
      uses: 0,
      isLost: false,
      ended: undefined,
      onLost: undefined,
    };
    this.#all.add(connection);
    return connection;
  }

  #lose(connection: Connection): void {
    connection.isLost = true;
    connection.onLost?.();
    connection.onLost = undefined;
    if (this.#all.delete(connection)) {
      // A failure to end it changes nothing: it is not used again.
      connection.ended = connection.sql.end({ timeout: 0 }).catch(() => {});
    }
  }
}

class LostError extends Error {
  readonly code = "CONNECTION_CLOSED";

  constructor() {
    super("the connection was lost before the answer arrived");
  }
}

/** True if the server answered with an error. */
export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof driver.PostgresError && thrown.severity === "ERROR";
}

export function connect({ url, timeoutMs }: ConnectionsOptions, options: DriverOptions): Sql {
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
