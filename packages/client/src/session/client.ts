/** The way to a server. */
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

export interface ClientOptions extends ConnectionOptions {
  /** Tools that this client runs for its sessions: made by `lendTool`, or by `defineTool` of `@capstan/core`. */
  readonly tools?: readonly ToolContract[];
  /** How this client names itself. Default: a name that nobody else has. */
  readonly client?: string;
  /** For how long a call of a tool that another client has lent is left to it, before this one runs it. Default 3,000. */
  readonly takeOverMs?: number;
  /** For how long a call that this client runs is left to it, should it be gone. Default 10,000. */
  readonly claimMs?: number;
}

export class Client {
  readonly #connection: Connection;
  readonly #lent: LentCallOptions;

  constructor(options: ClientOptions) {
    const { tools = [], client = newId(), takeOverMs = 3_000, claimMs = 10_000 } = options;
    // A tool that cannot be lent is found out here, and not at the first send.
    tools.forEach(toDeclaration);
    this.#connection = new Connection(options);
    this.#lent = { tools, client, takeOverMs, claimMs };
  }

  /** The session of this id, or of this key of yours: one that is not there begins with the first send. */
  session(id: string, start: SessionStart = {}): ClientSession {
    const parts = { connection: this.#connection, lent: this.#lent, start };
    return new ClientSession(id, { ...parts, isNew: false });
  }

  /** A new one. It is stored at the first send. */
  createSession(start: SessionStart = {}): ClientSession {
    const parts = { connection: this.#connection, lent: this.#lent, start };
    return new ClientSession(newId(), { ...parts, isNew: true });
  }

  /** The sessions of the caller, newest first, a page at a time. */
  async list({ signal, ...query }: SessionListQuery & CallOptions = {}): Promise<SessionList> {
    const chosen = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) chosen.set(name, String(value));
    const path = `/api/agent/sessions?${chosen.toString()}`;
    return jsonOf(await this.#connection.insist("GET", path, { signal }));
  }

  /** Lets go of everything: streams end, tools that run are told to stop, and turns of this client end with the error `closed`. What the server runs goes on. */
  close(): void {
    this.#connection.close();
  }
}

/** Connects at the first request. Throws `invalid_options`. */
export function connect(options: ClientOptions): Client {
  return new Client(options);
}
