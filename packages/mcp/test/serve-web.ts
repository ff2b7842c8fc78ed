/** A function from `Request` to `Response`, as an HTTP server on this machine. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

export async function serveWeb(
  fetch: (request: Request) => Promise<Response>,
  port = 0,
): Promise<WebServer> {
  const server = createServer((incoming, response) => {
    Array.fromAsync(incoming as AsyncIterable<Buffer>)
      .then(async (chunks) => {
        const body = Buffer.concat(chunks);
        const headers = Object.entries(incoming.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        );
        const { method = "GET" } = incoming;
        const sent = { method, headers, ...(body.length > 0 && { body }) };
        const reply = await fetch(new Request(`http://127.0.0.1${incoming.url}`, sent));
        response.writeHead(reply.status, Object.fromEntries(reply.headers));
        response.flushHeaders();
        for await (const chunk of reply.body ?? []) response.write(chunk);
        response.end();
      })
      // The client has gone, or the test: it is told if it still listens.
      .catch((thrown: unknown) => response.destroy(thrown as Error));
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
