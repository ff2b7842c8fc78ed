/** An MCP server over HTTP whose every answer a test decides, and which keeps every request as it came. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Readonly<Record<string, unknown>>;

interface WireRequest {
  readonly method: string;
  readonly params: Json;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  readonly body: string;
}

/** A result, an error of the protocol, or something less polite. Events are sent before the result, as a stream. */
export type WireAnswer =
  | {
      readonly result: Json;
      readonly events?: readonly Json[];
      readonly headers?: Record<string, string>;
    }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly status: number; readonly text?: string; readonly headers?: Record<string, string> }
  | "cut the stream"
  | "break the connection"
  | "say nothing";

export type Answer = (
  request: WireRequest,
) => WireAnswer | undefined | Promise<WireAnswer | undefined>;

export interface WireServer extends AsyncDisposable {
  readonly url: string;
  /** Requests in order, without those of the handshake and of streams. */
  readonly requests: readonly WireRequest[];
  /** Every request. */
  readonly all: readonly WireRequest[];
  named(method: string): readonly WireRequest[];
}

const handshake = [
  "server/discover",
  "initialize",
  "notifications/initialized",
  "subscriptions/listen",
  "GET",
  "DELETE",
];

/** `answer` decides about each request; what it leaves out is answered as a server without anything would. */
export async function wireServer(answer: Answer): Promise<WireServer> {
  const all: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    handle(incoming, response, answer, all).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    all,
    get requests() {
      return all.filter(({ method }) => !handshake.includes(method));
    },
    named: (method) => all.filter((request) => request.method === method),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  all: WireRequest[],
): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(incoming)).toString();
  const message = body === "" ? { method: incoming.method } : (JSON.parse(body) as Json);
  const { id, method, params = {} } = message as { id?: number; method: string; params?: Json };
  const request = { method, params, headers: incoming.headers, body };
  all.push(request);
  const decided = (await answer(request)) ?? usual(method, id);
  if (decided === "say nothing") return;
  if (decided === "break the connection") {
    incoming.socket.destroy();
    return;
  }
  if (decided === "cut the stream") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": hello\n\n");
    response.end();
    return;
  }
  if ("status" in decided) {
    response.writeHead(decided.status, decided.headers ?? {}).end(decided.text ?? "");
    return;
  }
  if ("error" in decided) {
    respond(response, { jsonrpc: "2.0", id, error: decided.error });
    return;
  }
  const { result, events, headers } = decided;
  const reply = { jsonrpc: "2.0", id, result };
  if (events === undefined) return respond(response, reply, headers);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const each of [...events, reply]) response.write(`data: ${JSON.stringify(each)}\n\n`);
  response.end();
}

function respond(
  response: ServerResponse,
  reply: Json,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(reply));
}

function usual(method: string, id: number | undefined): WireAnswer {
  if (method === "GET" || method === "DELETE") return { status: 405 };
  if (id === undefined) return { status: 202 };
  return { error: { code: -32_601, message: `Unknown method ${method}` } };
}

const complete = { resultType: "complete" };

/** A server of 2026-07-28 with these tools; `answer` decides about calls and everything else. */
export function modernServer(
  tools: readonly Json[],
  answer: Answer = () => undefined,
): Promise<WireServer> {
  return wireServer(async (request) => {
    const own = await answer(request);
    if (own !== undefined) return own;
    if (request.method === "server/discover") {
      const capabilities = { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
      return {
        result: {
          ...complete,
          supportedVersions: ["2026-07-28"],
          capabilities,
          ttlMs: 0,
          cacheScope: "private",
        },
      };
    }
    if (request.method !== "tools/list") return undefined;
    return { result: { ...complete, tools, ttlMs: 60_000, cacheScope: "private" } };
  });
}

/** A server of 2025-11-25 that keeps sessions. */
export function legacyServer(
  tools: readonly Json[],
  answer: Answer = () => undefined,
): Promise<WireServer> {
  let sessions = 0;
  return wireServer(async (request) => {
    const own = await answer(request);
    if (own !== undefined) return own;
    if (request.method === "initialize") {
      sessions += 1;
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "1" },
      };
      return { result, headers: { "mcp-session-id": `session-${sessions}` } };
    }
    return request.method === "tools/list" ? { result: { tools } } : undefined;
  });
}

export function textResult(text: string, more: Json = {}): WireAnswer {
  return { result: { ...complete, content: [{ type: "text", text }], ...more } };
}

export function declared(name: string, more: Json = {}): Json {
  return { name, description: `Does ${name}`, inputSchema: { type: "object" }, ...more };
}
