/** A plain server on a free port of the loopback. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<number> {
  const server = createServer((request, response) => {
    handle(request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4_096, resolve));
  return (server.address() as AddressInfo).port;
}
