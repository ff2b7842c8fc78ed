/** Answers Node's requests with a server: under `node:http`, Express, Fastify, and frameworks with the same objects. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Server } from "../server/create-server.ts";
import type { FrameSink } from "../streaming/frame-sink.ts";
import { toRequest } from "./node-request.ts";
import { startNodeStream } from "./node-sink.ts";
import { toErrorResponse } from "../guard/public-error.ts";
import { ServerError, invalidRequest } from "../guard/server-error.ts";

/** Options of `toNodeHandler`. */
export interface NodeHandlerOptions {
  /** Time for clients to read a response that is not a stream. Default 60,000. */
  readonly answerTimeoutMs?: number;
}

/**
 * Answers every request; never throws, and never calls a framework's `next`. `body` is the body if the framework has already read it, parsed
 * or not, as Fastify does. Default: `incoming.body`, if a body parser has left it there, as in Express.
 */
export type NodeHandler = (
  incoming: IncomingMessage,
  response: ServerResponse,
  body?: unknown,
) => void;

/**
 * Creates a request listener for Node, for `http.createServer(handler)`, `app.use("/agents", handler)` in Express,
 * and `handler(request.raw, reply.raw, request.body)` in Fastify.
 */
export function toNodeHandler(server: Server, options: NodeHandlerOptions = {}): NodeHandler {
  const { answerTimeoutMs = 60_000 } = options;
  return (incoming, response, body) => {
    answer(server, { incoming, response, body }, answerTimeoutMs).catch(() => response.destroy());
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: unknown;
}

async function answer(
  server: Server,
  { incoming, response, body: read }: Exchange,
  answerTimeoutMs: number,
): Promise<void> {
  const reply = await replyTo(server, incoming, read);
  // A client that was too slow has already been rejected.
  if (!incoming.socket.writable) return leave(reply, response);
  if (!(reply instanceof Response)) return startNodeStream(reply, response);
  const body = Buffer.from(await reply.arrayBuffer());
  const headers = Object.fromEntries(reply.headers);
  const length = reply.status === 204 ? {} : { "content-length": body.byteLength };
  response.writeHead(reply.status, { ...headers, ...length });
  response.end(body);
  destroyAfter(response, answerTimeoutMs);
}

/** Closes what the other side keeps open. */
export function destroyAfter(stream: Socket | ServerResponse, ms: number): void {
  if (stream.closed || ms === Infinity) return;
  const timeout = setTimeout(() => stream.destroy(), ms);
  timeout.unref();
  stream.once("close", () => clearTimeout(timeout));
}

function leave(reply: Awaited<ReturnType<Server["reply"]>>, response: ServerResponse): void {
  response.destroy();
  if (!(reply instanceof Response)) reply.start(nowhere).onClose();
}

const nowhere: FrameSink = { write: () => true, end() {}, cut() {} };

async function replyTo(
  server: Server,
  incoming: IncomingMessage,
  body: unknown,
): ReturnType<Server["reply"]> {
  let request: Request;
  try {
    request = toRequest(incoming, body);
  } catch (thrown) {
    // The client gets the error. What it sent is not worth a report.
    const isOurs = thrown instanceof ServerError;
    return toErrorResponse(isOurs ? thrown : invalidRequest("Malformed HTTP request"));
  }
  return await server.reply(request);
}
