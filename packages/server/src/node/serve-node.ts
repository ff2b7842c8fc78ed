/** Runs a server on a port, with timeouts and a graceful shutdown for Node's HTTP. */
import type { ServerResponse, Server as HttpServer } from "node:http";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "@capstan/core";
import type { Server } from "../server/create-server.ts";
import { commonHeaders } from "../guard/public-error.ts";
import type { NodeHandlerOptions } from "./node-handler.ts";
import { destroyAfter, toNodeHandler } from "./node-handler.ts";

/** Options of `serveNode`: the address, timeouts, and how long streams may take to end. */
export interface ServeOptions extends NodeHandlerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `127.0.0.1`: exposing the server to other machines must be explicit. */
  readonly hostname?: string;
  /** Time for clients to send their headers. Default 10,000. */
  readonly headersTimeoutMs?: number;
  /** Time for clients to send the whole request. Default 60,000. */
  readonly requestTimeoutMs?: number;
  /** How long a closing server waits for clients that have not read everything. Default 10,000. */
  readonly drainMs?: number;
}

/** A server that listens on a port. The caller must `close` it. */
export interface NodeServer {
  readonly port: number;
  readonly url: string;
  /** Stops accepting requests, ends streams with a final event, hands turns over, and resolves once everything is closed. */
  close(): Promise<void>;
}

/** Resolves once the server listens. Fails like Node's `listen`. */
export async function serveNode(server: Server, options: ServeOptions = {}): Promise<NodeServer> {
  const { port = 0, hostname = "127.0.0.1", drainMs = 10_000 } = options;
  const { headersTimeoutMs = 10_000, requestTimeoutMs = 60_000 } = options;
  const handle = toNodeHandler(server, options);
  const http = createHttpServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, 2_000),
    // Node would reject a request without one in its own format.
    requireHostHeader: false,
  });
  const answers = new WeakMap<Socket, ServerResponse>();
  http.on("request", (incoming, response) => {
    answers.set(incoming.socket, response);
    handle(incoming, response);
  });
  http.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const last = answers.get(socket);
    if (!socket.writable || (last !== undefined && isSaid(last))) socket.destroy();
    else refuse(socket, refusalOf(error.code));
  });
  await listen(http, port, hostname);
  // A TCP server has a port.
  const address = http.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${address.port}`,
    close: () => drain(server, http, drainMs),
  };
}

/** Whether a response to a pending request has begun: a second one would be taken for the response to another request. */
function isSaid({ headersSent, writableEnded, req }: ServerResponse): boolean {
  return headersSent && !(writableEnded && req.complete);
}

/** Time for a client to read why it was rejected. */
const lingerMs = 2_000;

/** Closes our half and then, whatever the client does, the socket: otherwise a client that ignores the first keeps the descriptor open. */
function refuse(socket: Socket, refusal: string): void {
  socket.end(refusal);
  destroyAfter(socket, lingerMs);
}

function listen(http: HttpServer, port: number, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, hostname, () => {
      http.off("error", reject);
      resolve();
    });
  });
}

async function drain(server: Server, http: HttpServer, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  await server.close();
  http.closeIdleConnections();
  const cancel = systemClock.timer(drainMs, () => {
    server.cutStreams();
    http.closeAllConnections();
  });
  await closed;
  cancel();
}

/** Response for a request that Node's parser rejected, in the usual error format. */
function refusalOf(code: string | undefined): string {
  const [status, reason] = statusOf(code);
  const error = { code: "invalid_request", message: `Invalid HTTP request: ${reason}` };
  const body = JSON.stringify({ error });
  const headers = Object.entries({
    ...commonHeaders,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reason}\r\n${headers.join("")}\r\n${body}`;
}

function statusOf(code: string | undefined): readonly [number, string] {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return [408, "Request Timeout"];
  if (code === "HPE_HEADER_OVERFLOW") return [431, "Request Header Fields Too Large"];
  return [400, "Bad Request"];
}
