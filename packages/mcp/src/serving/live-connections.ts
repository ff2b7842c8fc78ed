/**
 * Connections of clients of 2025-11-25 and older over HTTP. They need one: answers of users, and cancellations, come in requests of their
 * own. A client whose connection is gone starts another; its sessions are not affected.
 */
import type {
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Clock } from "@capstan/core";
import { background } from "@capstan/kernel";
import type { ServerSdk } from "../sdk/server-sdk.ts";
import type { McpIdentity, ServingLimits } from "./serving-options.ts";

interface Connection {
  readonly principal: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  requests: number;
  cancelIdle: () => void;
}

export class LiveConnections {
  readonly #sdk: ServerSdk;
  readonly #limits: ServingLimits;
  readonly #clock: Clock;
  readonly #create: (identity: McpIdentity) => Server;
  readonly #connections = new Map<string, Connection>();

  constructor(
    sdk: ServerSdk,
    limits: ServingLimits,
    clock: Clock,
    create: (identity: McpIdentity) => Server,
  ) {
    this.#sdk = sdk;
    this.#limits = limits;
    this.#clock = clock;
    this.#create = create;
  }

  async handle(request: Request, identity: McpIdentity, body: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const { principal } = identity;
    if (id === null) return this.#open(request, identity, body);
    const connection = this.#connections.get(id);
    // Another principal's connection is not there.
    if (connection?.principal !== principal) return refusal(404, -32_001, "Session not found");
    return this.#use(id, connection, request, body);
  }

  async close(): Promise<void> {
    const connections = [...this.#connections.keys()];
    await Promise.all(connections.map((id) => this.#close(id)));
  }

  async #open(request: Request, identity: McpIdentity, body: unknown): Promise<Response> {
    const { principal } = identity;
    const { connectionsPerPrincipal: limit } = this.#limits;
    const own = [...this.#connections.values()].filter((each) => each.principal === principal);
    if (own.length >= limit) {
      return refusal(429, -32_000, `The limit of ${limit} connections is reached: close one`);
    }
    const { WebStandardStreamableHTTPServerTransport: HttpTransport } = this.#sdk.server;
    const transport = new HttpTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        this.#connections.set(id, {
          ...{ principal, server, transport, requests: 0 },
          cancelIdle: () => {},
        });
      },
      onsessionclosed: (id) => this.#close(id),
    });
    const server = this.#create(identity);
    await server.connect(transport);
    const response = await handle(transport, request, body);
    const id = transport.sessionId;
    const connection = id === undefined ? undefined : this.#connections.get(id);
    // Not an `initialize`: nothing keeps it.
    if (id === undefined || connection === undefined) await server.close();
    else this.#idleLater(id, connection);
    return response;
  }

  async #use(
    id: string,
    connection: Connection,
    request: Request,
    body: unknown,
  ): Promise<Response> {
    connection.cancelIdle();
    connection.requests += 1;
    try {
      return await handle(connection.transport, request, body);
    } finally {
      connection.requests -= 1;
      if (connection.requests === 0) this.#idleLater(id, connection);
    }
  }

  #idleLater(id: string, connection: Connection): void {
    const { timer, idleTimer = timer } = this.#clock;
    connection.cancelIdle = idleTimer(this.#limits.idleConnectionMs, () => {
      // A connection that fails to close is forgotten all the same.
      background(this.#close(id), () => {});
    });
  }

  async #close(id: string): Promise<void> {
    const connection = this.#connections.get(id);
    if (connection === undefined) return;
    this.#connections.delete(id);
    connection.cancelIdle();
    await connection.server.close();
  }
}

function handle(
  transport: WebStandardStreamableHTTPServerTransport,
  request: Request,
  body: unknown,
): Promise<Response> {
  return transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
