import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHost } from "@capstan/core";
import type { ModelChoice } from "@capstan/core";
import { createServer } from "@capstan/server";
import { toNodeHandler } from "@capstan/server/node";
import { sqlite } from "@capstan/stores/sqlite";
import { createAssistant } from "./agent.ts";

export interface Settings {
  /** File of the sessions. */
  readonly database: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly model?: ModelChoice;
}

/** Folders that the page loads files from. The import map of `page/index.html` names them. */
const folders: Readonly<Record<string, string>> = {
  page: join(import.meta.dirname, "..", "page"),
  client: distOf("@capstan/client"),
  log: distOf("@capstan/log"),
  kernel: distOf("@capstan/kernel"),
};

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Serves the page, and the agent under `/api/`, on this machine. */
export async function serve({ database, port = 0, model }: Settings) {
  const store = sqlite(database);
  const host = createHost({ agents: [createAssistant(model)], repository: store });
  const server = createServer({
    host,
    allowedHosts: ["localhost", "127.0.0.1"],
    authenticate({ headers }) {
      const principal = visitorOf(headers.get("cookie") ?? "");
      return principal === undefined ? undefined : { principal };
    },
  });
  const answer = toNodeHandler(server);
  const http = createHttpServer((request, response) => {
    if (request.url?.startsWith("/api/")) return answer(request, response);
    if (visitorOf(request.headers.cookie ?? "") === undefined) {
      const cookie = `visitor=${crypto.randomUUID()}; HttpOnly; SameSite=Strict; Path=/`;
      response.setHeader("set-cookie", cookie);
    }
    const path = fileOf(new URL(request.url ?? "/", "http://page.invalid").pathname);
    readFile(path).then(
      (content) => {
        const type = mediaTypes[extname(path)] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": type, "cache-control": "no-cache" }).end(content);
      },
      () => response.writeHead(404).end("Not found"),
    );
  });
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://localhost:${(http.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      await server.close();
      http.close();
      http.closeAllConnections();
      await host.close();
      await store.close();
    },
  };
}

/** The cookie is the only secret of a visitor. An app with accounts looks up its own session here. */
function visitorOf(cookies: string): string | undefined {
  return /(?:^|; )visitor=([0-9a-f-]{36})(?:;|$)/.exec(cookies)?.[1];
}

/** Plain names only, so that no path leads out of the folders. */
function fileOf(pathname: string): string {
  if (pathname === "/") return join(folders["page"] ?? "", "index.html");
  const [, folder = "", file = ""] = /^\/(\w+)\/((?:[\w-]+\/)*[\w-]+\.\w+)$/.exec(pathname) ?? [];
  return join(folders[folder] ?? folders["page"] ?? "", file === "" ? "none" : file);
}

function distOf(name: string): string {
  return fileURLToPath(new URL(".", import.meta.resolve(name)));
}
