/** Agents of a host, served to real MCP clients over a real socket. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Agent, Host, SessionRepository } from "@capstan/core";
import { createHost, memoryRepository } from "@capstan/core";
import type { McpAgentServer, McpServerOptionsOfHost } from "@capstan/mcp/server";
import { mcpServer, toNodeListener } from "@capstan/mcp/server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ClientOptions } from "@modelcontextprotocol/client";

export interface ServedWorld extends AsyncDisposable {
  readonly host: Host;
  readonly server: McpAgentServer;
  readonly repository: SessionRepository;
  readonly url: string;
  readonly reported: readonly unknown[];
  /** A client of 2026-07-28, or with `legacy` one of 2025-11-25. The token is the principal. */
  connect(options?: ConnectOptions): Promise<Client>;
}

interface ConnectOptions {
  readonly principal?: string;
  readonly isLegacy?: boolean;
  readonly capabilities?: NonNullable<ClientOptions["capabilities"]>;
  readonly client?: Partial<ClientOptions>;
}

/** Only `repository` is shared with another world. */
export async function servedWorld(
  agents: readonly Agent[],
  options: McpServerOptionsOfHost & { readonly repository?: SessionRepository } = {},
): Promise<ServedWorld> {
  const { repository = memoryRepository(), ...rest } = options;
  const host = createHost({ agents, repository, leaseMs: 1_000, pollMs: 50 });
  const reported: unknown[] = [];
  const server = mcpServer(host, {
    authenticate: (request) => {
      const token = /^Bearer (\w+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
      return token === undefined ? undefined : { principal: token };
    },
    onError: (thrown) => reported.push(thrown),
    ...rest,
  });
  const http = createServer(toNodeListener(server.handle));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const clients: Client[] = [];
  return {
    ...{ host, server, repository, url, reported },
    async connect({ principal = "ann", isLegacy = false, capabilities = {}, client = {} } = {}) {
      const connected = new Client(
        { name: "test", version: "1" },
        {
          capabilities,
          versionNegotiation: { mode: isLegacy ? "legacy" : { pin: "2026-07-28" } },
          ...client,
        },
      );
      clients.push(connected);
      const headers = { authorization: `Bearer ${principal}` };
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers },
      });
      await connected.connect(transport);
      return connected;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((each) => each.close()));
      await server.close();
      await host.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Texts of a result. */
export function textsOf({ content }: { readonly content?: unknown }): readonly string[] {
  return (content as readonly { readonly text: string }[]).map(({ text }) => text);
}

/** Id of the session of a result. */
export function sessionOf({ _meta: meta }: { readonly _meta?: unknown }): string {
  return (meta as { readonly "capstan/session": string })["capstan/session"];
}
