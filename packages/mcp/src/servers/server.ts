/** A server over its whole life: started when it is needed, and started again when it is gone. */
import { background, serializeError } from "@capstan/kernel";
import { loginFailure } from "../auth/login-errors.ts";
import { LoginTokens } from "../auth/login-tokens.ts";
import { McpError } from "../errors/mcp-error.ts";
import type { McpServerOptions } from "../options/server-options.ts";
import type { ConnectionRequest, Verdict } from "./connection.ts";
import { Connection } from "./connection.ts";
import { kindOf } from "./failures.ts";
import { loadSdk } from "../sdk/sdk.ts";

export interface ServerSurroundings {
  readonly clientInfo: ConnectionRequest["clientInfo"];
  elicit(params: unknown): ReturnType<ConnectionRequest["elicit"]>;
  /** The list of tools has changed. */
  onListChanged(): void;
}

const defaultStartTimeoutMs = 30_000;

export class Server {
  readonly name: string;
  readonly options: McpServerOptions;
  readonly #surroundings: ServerSurroundings;
  #connection: Connection | undefined;
  #starting: Promise<Connection> | undefined;
  /** Kept for the next connection: the question costs a round trip, or a process. */
  #verdict: Verdict | undefined;
  #isClosed = false;

  constructor(name: string, options: McpServerOptions, surroundings: ServerSurroundings) {
    this.name = name;
    this.options = options;
    this.#surroundings = surroundings;
  }

  get connection(): Connection | undefined {
    return this.#connection?.isClosed === false ? this.#connection : undefined;
  }

  get isStarting(): boolean {
    return this.#starting !== undefined;
  }

  get startTimeoutMs(): number {
    return this.options.startTimeoutMs ?? defaultStartTimeoutMs;
  }

  /** Returns the connection, and starts the server if there is none. Rejects with an `McpError`. */
  connect(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(this.#unavailable("it was closed"));
    const { connection } = this;
    if (connection !== undefined) return Promise.resolve(connection);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /**
   * Sends requests. If the server had forgotten the session, or the requests were never sent, a new connection repeats them, once. If the
   * connection was lost, that happens only if `canRepeat`; otherwise it rejects with `connection_lost`.
   */
  async use<T>(work: (connection: Connection) => Promise<T>, canRepeat: boolean): Promise<T> {
    const connection = await this.connect();
    try {
      return await work(connection);
    } catch (thrown) {
      const kind = kindOf(thrown, connection);
      if (kind === "answered") throw this.#loginFailure(thrown) ?? thrown;
      this.#drop(connection, kind === "forgotten");
      if (kind === "lost" && !canRepeat) throw this.#lost(thrown);
    }
    const next = await this.connect();
    try {
      return await work(next);
    } catch (thrown) {
      throw this.#second(thrown, next);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A start that fails has left nothing to close, and is reported to those who wait for it.
    const starting = this.#starting?.catch(() => undefined);
    const connection = this.#connection ?? (await starting);
    await connection?.close();
  }

  #second(thrown: unknown, connection: Connection): unknown {
    const kind = kindOf(thrown, connection);
    if (kind === "answered") return this.#loginFailure(thrown) ?? thrown;
    this.#drop(connection, kind === "forgotten");
    const { message } = serializeError(thrown);
    return kind === "lost" ? this.#lost(thrown) : this.#unavailable(message, thrown);
  }

  async #start(): Promise<Connection> {
    const verdict = this.#verdict;
    try {
      return await this.#open(verdict);
    } catch (thrown) {
      // The server may be another one by now, of another generation.
      this.#verdict = undefined;
      if (verdict === undefined) throw this.#notStarted(thrown);
    }
    try {
      return await this.#open(undefined);
    } catch (thrown) {
      throw this.#notStarted(thrown);
    }
  }

  #notStarted(thrown: unknown): McpError {
    const { message } = serializeError(thrown);
    return this.#loginFailure(thrown) ?? this.#unavailable(message, thrown);
  }

  #loginFailure(thrown: unknown): McpError | undefined {
    const usesLogins = "url" in this.options && this.options.auth instanceof LoginTokens;
    return usesLogins ? loginFailure(this.name, thrown) : undefined;
  }

  async #open(verdict: Verdict | undefined): Promise<Connection> {
    const { clientInfo, elicit, onListChanged } = this.#surroundings;
    const connection = await Connection.open(await loadSdk(), {
      options: this.options,
      clientInfo,
      timeoutMs: this.startTimeoutMs,
      verdict,
      elicit,
      onListChanged,
      // Tools of a server that is gone may be others when it is back.
      onClose: onListChanged,
    });
    if (this.#isClosed) {
      await connection.close();
      throw new Error("it was closed");
    }
    this.#verdict = connection.verdict;
    this.#connection = connection;
    return connection;
  }

  /** The next request starts the server again. */
  #drop(connection: Connection, isForgotten: boolean): void {
    if (this.#connection === connection) this.#connection = undefined;
    // Whatever it was, the connection is of no use any more.
    background(connection.close(isForgotten), () => {});
  }

  #lost(cause: unknown): McpError {
    const { message } = serializeError(cause);
    return new McpError(
      "connection_lost",
      this.name,
      `The MCP server "${this.name}" was lost during the call (${message}). The outcome of the call is unknown: check before you repeat it.`,
      { cause },
    );
  }

  #unavailable(problem: string, cause?: unknown): McpError {
    const message = `The MCP server "${this.name}" is not available: ${problem}`;
    return new McpError("unavailable", this.name, message, { cause });
  }
}
