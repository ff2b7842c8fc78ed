/** Servers on the loopback that say what a test wants. */
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface LocalServer {
  /** Without a path. */
  readonly url: string;
  /** Method and path of each request. */
  readonly requests: readonly string[];
}

type Answer = (...exchange: Parameters<RequestListener>) => void | Promise<void>;

export async function serve(answer: Answer): Promise<LocalServer> {
  const requests: string[] = [];
  const listen = async (...[request, response]: Parameters<Answer>): Promise<void> => {
    requests.push(`${request.method} ${request.url}`);
    await answer(request, response);
  };
  const server = createServer((request, response) => {
    listen(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address with one.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** By path; everything else is not there. A function makes an answer of what was posted. */
export function serveJson(routes: Readonly<Record<string, unknown>>): Promise<LocalServer> {
  return serve(async (request, response) => {
    const route = routes[request.url ?? ""];
    if (route === undefined) return void response.writeHead(404).end("404 page not found");
    const posted = (await Array.fromAsync(request)).join("");
    const answer = typeof route === "function" ? route(JSON.parse(posted)) : route;
    return void response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
}

export interface OllamaModel {
  readonly name: string;
  readonly loadedWith?: number;
  readonly details?: unknown;
  readonly remoteHost?: string;
}

/** Model details in Ollama's format. */
export function ollamaServer(models: readonly OllamaModel[]): Promise<LocalServer> {
  return serveJson({
    "/api/version": { version: "0.20.1" },
    "/api/tags": {
      models: models.map(({ name, remoteHost }) => ({ name, remote_host: remoteHost })),
    },
    "/api/ps": {
      models: models
        .filter(({ loadedWith }) => loadedWith !== undefined)
        .map(({ name, loadedWith }) => ({ name, context_length: loadedWith })),
    },
    "/api/show": ({ model }: { readonly model: string }) =>
      models.find(({ name }) => name === model)?.details ?? {},
  });
}
