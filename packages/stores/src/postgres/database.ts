/** Access to one schema of one database: connections, tables, deadlines, notifications. */
import { closedStore } from "../handle/closed-store.ts";
import type { Row, Sql, TransactionSql } from "postgres";
import type { ConnectionsOptions } from "./connections.ts";
import { connect, Connections, isRefusal } from "./connections.ts";
import { migrate } from "./migrate.ts";

export interface DatabaseOptions extends ConnectionsOptions {
  readonly schema: string;
  /** Leads to the server itself: for notifications, if `url` leads to a pooler. */
  readonly directUrl?: string | undefined;
  /** Found out on the first connection if undefined: any pooler is then taken for one by transaction. */
  readonly pooler?: Pooler | undefined;
  /** Undefined: unless a pooler by transaction is in between. */
  readonly prepare?: boolean | undefined;
}

/** How long a client of a pooler keeps a connection of the server. */
type Pooler = "session" | "transaction";

export type Value = string | number | null | Uint8Array | readonly (string | null)[];

/**
 * Receives notifications. `onListening` is called whenever listening starts, also after a reconnect; `onImpossible` once, if this database
 * cannot notify.
 */
export interface Listener {
  onPayload(payload: string): void;
  onListening(): void;
  onImpossible(reason: string): void;
}

export class Database {
  /** For people, without a password. */
  readonly name: string;
  readonly #options: DatabaseOptions;
  readonly #connections: Connections;
  #listening: Sql | undefined;
  #starting: Promise<void> | undefined;
  #isReady = false;
  #isClosed = false;
  #isPooled: boolean;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#isPooled = options.pooler === "transaction";
    this.name = nameOf(options.url);
    this.#connections = new Connections(options);
  }

  /** Returns the driver's rows. Connects first, and creates the tables if needed. */
  async query(text: string, values: readonly Value[]): Promise<Row[]> {
    if (!this.#isReady || this.#isClosed) await this.#start();
    const parameters = values.map(toParameter);
    return this.#connections.use((sql) => sql.unsafe(text, parameters, { prepare: this.prepares }));
  }

  /** Whether statements are prepared: a pooler may run the next one on another connection of the server. */
  get prepares(): boolean {
    return this.#options.prepare ?? !this.#isPooled;
  }

  /** Whether the caller said that a pooler is in between. */
  get isPooledByIntent(): boolean {
    return this.#options.pooler === "transaction";
  }

  async transaction<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T> {
    if (!this.#isReady || this.#isClosed) await this.#start();
    return this.#connections.transaction(work);
  }

  /** Runs work whose effect lasts as long as its connection, unless a pooler is in between: statements then have no connection of their own. */
  async useUntilLost(work: (sql: Sql) => Promise<void>, onLost: () => void): Promise<void> {
    if (!this.#isReady) await this.#start();
    if (!this.#isPooled && !this.#isClosed) await this.#connections.useUntilLost(work, onLost);
  }

  get channel(): string {
    return `capstan ${this.#options.schema}`;
  }

  /** Listens on a separate connection, and again after every loss of it. */
  listen({ onPayload, onListening, onImpossible }: Listener): void {
    const { directUrl, url } = this.#options;
    const start = async (): Promise<void> => {
      if (directUrl === undefined && (await this.#isBehindPooler())) {
        return onImpossible("a pooler by transaction is in between");
      }
      if (this.#isClosed) return;
      const listening = connect({ ...this.#options, url: directUrl ?? url }, { max: 1 });
      this.#listening = listening;
      // The driver retries by itself, unless the server refuses.
      await listening.listen(this.channel, onPayload, onListening);
    };
    start().catch((thrown: unknown) => {
      if (isRefusal(thrown)) onImpossible((thrown as Error).message);
    });
  }

  stopListening(): void {
    // A failure to end it changes nothing: it is not used again.
    this.#listening?.end({ timeout: 0 }).catch(() => {});
    this.#listening = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.close();
    await this.#listening?.end({ timeout: 0 });
  }

  /** Without a database it is not known: then listening is tried. */
  async #isBehindPooler(): Promise<boolean> {
    if (!this.#isReady && this.#options.pooler === undefined) {
      // The call that needs the database reports its failure.
      await this.#start().catch(() => {});
    }
    return this.#isPooled;
  }

  /** All waiting callers share one attempt; after a failure the next caller tries again. */
  #start(): Promise<void> {
    if (this.#isClosed) {
      throw closedStore(this.name, "");
    }
    this.#starting ??= this.#connections
      .use(async (sql) => {
        await migrate(sql, this.#options.schema);
        if (this.#options.pooler === undefined) this.#isPooled = await isPooled(sql);
      })
      .then(async () => {
        if (!this.prepares) await this.#connections.stopPreparing();
        this.#isReady = true;
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }
}

/** A pooler tells its clients a process number of its own. */
async function isPooled(sql: Sql): Promise<boolean> {
  const rows = await sql.unsafe("SELECT pg_backend_pid() AS pid");
  return rows[0]?.["pid"] !== rows.state.pid;
}

function toParameter(value: Value): Exclude<Value, readonly (string | null)[]> {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array)
    ? toArrayText(value)
    : value;
}

/** Host and name of the database, without a password. */
export function nameOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    // An invalid URL may still contain a password.
    return "at the given URL";
  }
}

/** Array literal for PostgreSQL. The driver could encode it too, but only after querying the server's types on each connection. */
function toArrayText(texts: readonly (string | null)[]): string {
  return `{${texts.map(quote).join(",")}}`;
}

function quote(text: string | null): string {
  if (text === null) return "NULL";
  // One expression for both would take twice as long.
  return `"${text.replaceAll(/\\/g, "\\\\").replaceAll(/"/g, '\\"')}"`;
}
