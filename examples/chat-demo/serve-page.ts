/** One HTTP server for a page and its agent: `/api/` is Capstan's, everything else is the page's. */
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Agent } from "@capstan/core";
import { createHost, memoryRepository } from "@capstan/core";
import { createServer } from "@capstan/server";
import { toNodeHandler } from "@capstan/server/node";

export interface PageOptions {
  readonly agent: Agent;
  /** Default: any free port. */
  readonly port?: number;
}

export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Listens on this machine only. `createPage` gets the HTTP server, for pages that add a WebSocket to it. */
export async function servePage(
  { agent, port = 0 }: PageOptions,
  createPage: (http: Server) => PageHandler | Promise<PageHandler>,
): Promise<ServedPage> {
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const server = createServer({
    host,
    allowedHosts: ["localhost", "127.0.0.1"],
    authenticate({ headers }) {
      const principal = visitorOf(headers.get("cookie") ?? "");
      return principal === undefined ? undefined : { principal };
    },
  });
  const answer = toNodeHandler(server);
  const http = createHttpServer();
  const handlePage = await createPage(http);
  http.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/api/") === true) return answer(request, response);
    if (visitorOf(request.headers.cookie ?? "") === undefined) {
      const cookie = `visitor=${crypto.randomUUID()}; HttpOnly; SameSite=Strict; Path=/`;
      response.setHeader("set-cookie", cookie);
    }
    return handlePage(request, response);
  });
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://localhost:${(http.address() as AddressInfo).port}`,
    async close() {
      await server.close();
      http.close();
      http.closeAllConnections();
    },
  };
}

/** The cookie is the only secret of a visitor. An app with accounts looks up its own session here. */
function visitorOf(cookies: string): string | undefined {
  return /(?:^|; )visitor=([0-9a-f-]{36})(?:;|$)/.exec(cookies)?.[1];
}
