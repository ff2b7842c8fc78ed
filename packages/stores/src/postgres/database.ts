/** Access to one schema of one database: connections, tables, deadlines, notifications. */
import { closedStore } from "../handle/closed-store.ts";
import type { Row, Sql, TransactionSql } from "postgres";
import type { ConnectionsOptions } from "./connections.ts";
import { connect, Connections } from "./connections.ts";
import { migrate } from "./migrate.ts";

export interface DatabaseOptions extends ConnectionsOptions {
  readonly schema: string;
}

export type Value = string | number | null | Uint8Array | readonly string[];

/** Receives notifications; `onListening` is called whenever listening starts, also after a reconnect. */
export interface Listener {
  onPayload(payload: string): void;
  onListening(): void;
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

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.name = nameOf(options.url);
    this.#connections = new Connections(options);
  }

  /** Returns the driver's rows. Connects first, and creates the tables if needed. */
  async query(text: string, values: readonly Value[]): Promise<Row[]> {
    if (!this.#isReady || this.#isClosed) await this.#start();
    const parameters = values.map(toParameter);
    return this.#connections.use((sql) => sql.unsafe(text, parameters, { prepare: true }));
  }

  async transaction<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T> {
    if (!this.#isReady || this.#isClosed) await this.#start();
    return this.#connections.transaction(work);
  }

  get channel(): string {
    return `capstan ${this.#options.schema}`;
  }

  /** Listens on a separate connection, and again after every loss of it. */
  listen({ onPayload, onListening }: Listener): void {
    this.#listening ??= connect(this.#options, { max: 1 });
    const listening = this.#listening.listen(this.channel, onPayload, onListening);
    // The driver retries by itself.
    Promise.resolve(listening).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.close();
    await this.#listening?.end({ timeout: 0 });
  }

  /** All waiting callers share one attempt; after a failure the next caller tries again. */
  #start(): Promise<void> {
    if (this.#isClosed) {
      throw closedStore(this.name, "");
    }
    this.#starting ??= this.#connections
      .use((sql) => migrate(sql, this.#options.schema))
      .then(() => {
        this.#isReady = true;
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }
}

function toParameter(value: Value): Exclude<Value, readonly string[]> {
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
function toArrayText(texts: readonly string[]): string {
  return `{${texts.map(quote).join(",")}}`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
