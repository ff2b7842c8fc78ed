/** The end of a login in the browser: the redirect to this machine. */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { timingSafeEqual } from "node:crypto";

export interface Callback {
  readonly redirectUrl: string;
  /** Parameters of the first redirect with the right state. */
  readonly params: Promise<URLSearchParams>;
  close(): void;
}

const path = "/callback";

/** Listens on 127.0.0.1. A request without the state is refused, and the login goes on waiting: any page can send one. */
export async function listenForCallback(state: string, port = 0): Promise<Callback> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const params = paramsOf(request);
    if (params === undefined) return answer(response, 404, "Not found");
    if (!isSame(params.get("state") ?? "", state)) {
      return answer(response, 400, "This is not the login that was started. Start it again.");
    }
    answer(response, 200, "You may close this window, and go back to the program.");
    resolve(params);
  });
  await new Promise<void>((started, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", started);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://127.0.0.1:${actual}${path}`,
    params: promise,
    close() {
      server.close();
      // The page has been sent; browsers keep connections open.
      server.closeIdleConnections();
    },
  };
}

function paramsOf({ method, url = "/" }: IncomingMessage): URLSearchParams | undefined {
  const parsed = URL.parse(url, "http://127.0.0.1");
  return method === "GET" && parsed?.pathname === path ? parsed.searchParams : undefined;
}

function answer(response: ServerResponse, status: number, text: string): void {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  };
  response.writeHead(status, headers);
  response.end(`<!doctype html><title>Capstan</title><p>${text}</p>\n`);
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
