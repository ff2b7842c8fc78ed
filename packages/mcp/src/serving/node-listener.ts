/** Answers Node's requests with a function from `Request` to `Response`, and streams what it streams. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { Readable } from "node:stream";

/**
 * Creates a request listener for Node, for `http.createServer(listener)`. A client that goes away aborts the
 * request.
 */
export function toNodeListener(
  handle: (request: Request) => Promise<Response>,
): (incoming: IncomingMessage, response: ServerResponse) => void {
  return (incoming, response) => {
    // A client that has gone gets no answer; any other failure ends its connection.
    answer(handle, incoming, response).catch(() => response.destroy());
  };
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  const reply = await handle(toRequest(incoming, left.signal));
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  response.flushHeaders();
  for await (const piece of reply.body ?? []) {
    if (left.signal.aborted) break;
    if (!response.write(piece)) await Promise.race([once(response, "drain"), aborted(left.signal)]);
  }
  response.end();
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", rawHeaders, headers: known } = incoming;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  // The types of the two streams differ; the bytes do not.
  const body = Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>;
  return new Request(new URL(url, `http://${known.host ?? "localhost"}`), {
    ...{ method, headers, signal },
    // Half duplex: the response comes after the body was read. The types of browsers lack this.
    ...(hasBody && { body, duplex: "half" }),
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
