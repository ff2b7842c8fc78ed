/** Client of a server: its sessions, by id or as a list. */
import type { ToolContract } from "@capstan/kernel";
import type { SessionList, SessionListQuery } from "@capstan/log";
import { newId } from "@capstan/log";
import { ClientSession } from "./client-session.ts";
import type { CallOptions } from "./client-session.ts";
import type { ConnectionOptions } from "../stream/connection.ts";
import { Connection, jsonOf } from "../stream/connection.ts";
import { toDeclaration } from "../lent-tools/lend-tool.ts";
import type { LentCallOptions } from "../lent-tools/lent-calls.ts";
import type { SessionStart } from "../turns/turn-handles.ts";

/** Options of `connect`: how to reach the server, and the tools to lend. */
export interface ClientOptions extends ConnectionOptions {
  /** Client-side tools for all sessions, from `lendTool`, or from `defineTool` of `@capstan/core`. */
  readonly tools?: readonly ToolContract[] | undefined;
  /** Name of this client. Default: a random one. */
  readonly client?: string | undefined;
  /** How long to leave a call to the client that lent its tool before this client runs it. Default 3,000. */
  readonly takeOverMs?: number | undefined;
  /** How long other clients leave a call to this one if it disappears. Default 10,000. */
  readonly claimMs?: number | undefined;
}

/**
 * Connection settings of one server, and the tools that this process lends to its sessions. The caller must
 * `close` it.
 */
export class Client {
  readonly #connection: Connection;
  readonly #lent: LentCallOptions;

  constructor(options: ClientOptions) {
    const { tools = [], client = newId(), takeOverMs = 3_000, claimMs = 10_000 } = options;
    // Report an unusable tool here, not at the first send.
    tools.forEach(toDeclaration);
    this.#connection = new Connection(options);
    this.#lent = { tools, client, takeOverMs, claimMs };
  }

  /** Session with this id, or with this key of the caller. If there is none, the first send creates it. */
  session(id: string, start: SessionStart = {}): ClientSession {
    const parts = { connection: this.#connection, lent: this.#lent, start };
    return new ClientSession(id, { ...parts, isNew: false });
  }

  /** New session, stored at the first send. */
  createSession(start: SessionStart = {}): ClientSession {
    const parts = { connection: this.#connection, lent: this.#lent, start };
    return new ClientSession(newId(), { ...parts, isNew: true });
  }

  /** Pages of the caller's sessions, newest first. */
  async list({ signal, ...query }: SessionListQuery & CallOptions = {}): Promise<SessionList> {
    const chosen = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) chosen.set(name, String(value));
    const path = `/api/agent/sessions?${chosen.toString()}`;
    return jsonOf(await this.#connection.insist("GET", path, { signal }));
  }

  /** Ends streams, aborts running tools, and ends the turns of this client with the error `closed`. Turns continue on the server. */
  close(): void {
    this.#connection.close();
  }
}

/** Connects at the first request. Throws `invalid_options`. */
export function connect(options: ClientOptions): Client {
  return new Client(options);
}
