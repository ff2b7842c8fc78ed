/** Offers the agents of a host as tools to MCP clients. */
import type { Readable, Writable } from "node:stream";
import type { Host } from "@capstan/core";
import { systemClock } from "@capstan/core";
import type { ServerSdk } from "../sdk/server-sdk.ts";
import { loadServerSdk } from "../sdk/server-sdk.ts";
import { AgentCalls } from "./agent-calls.ts";
import { toAgentTools } from "./agent-tools.ts";
import { HeldSessions } from "./held-sessions.ts";
import type { HttpHandler } from "./http-handler.ts";
import { createHttpHandler } from "./http-handler.ts";
import type { Serving } from "./protocol-server.ts";
import { createProtocolServer } from "./protocol-server.ts";
import type { McpIdentity, McpServerOptionsOfHost } from "./serving-options.ts";
import {
  checkServingOptions,
  defaultServingLimits,
  invalidOption,
  offeredAgents,
} from "./serving-options.ts";
import { Tasks } from "./tasks.ts";

/** Identity of the client on stdio, and the streams if they are not those of the process. */
export interface StdioOptions extends McpIdentity {
  /** Default: those of the process. Nothing else may write to `stdout`. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

/** Agents of a host as an MCP server, over HTTP or stdio. The caller must `close` it. */
export interface McpAgentServer {
  /** Answers an HTTP request. Needs `authenticate`. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Serves one client over stdin and stdout. Resolves once the client has closed its end, or the server is closed. */
  serveStdio(options: StdioOptions): Promise<void>;
  /** Ends connections. Turns in progress are left to the host, which is not closed. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Throws an `McpError` with the code `invalid_option`. */
export function mcpServer(host: Host, options: McpServerOptionsOfHost = {}): McpAgentServer {
  checkServingOptions(host, options);
  const { clock = systemClock, taskAfterMs = 10_000, errorDetails: hasDetails = false } = options;
  const isRefusing = options.ifCannotAsk === "refuse";
  const limits = { ...defaultServingLimits, ...options.limits };
  const sessions = new HeldSessions(host, limits);
  let isClosing = false;
  const calls = new AgentCalls({
    ...{ sessions, clock, limits, taskAfterMs, hasDetails, isRefusing },
    isClosing: () => isClosing,
  });
  const tasks = new Tasks({ sessions, clock, hasDetails, isRefusing });
  const serving: Serving = {
    ...{ calls, tasks, options },
    tools: toAgentTools(offeredAgents(host, options)),
  };
  let sdk: Promise<ServerSdk> | undefined;
  const load = (): Promise<ServerSdk> => (sdk ??= loadServerSdk());
  let http: Promise<HttpHandler> | undefined;
  const endings = new Set<() => Promise<void>>();
  const close = async (): Promise<void> => {
    isClosing = true;
    // A handler that was not created has told its caller why.
    await (await http?.catch(() => undefined))?.close();
    await Promise.all([...endings].map((end) => end()));
    await calls.settled();
  };
  return {
    async handle(request) {
      http ??= load().then((loaded) => createHttpHandler(loaded, serving, limits, clock));
      return (await http).handle(request);
    },
    async serveStdio({ stdin, stdout, ...identity }) {
      if (isClosing) throw invalidOption("mcpServer: this server was closed");
      const loaded = await load();
      const { serveStdio, StdioServerTransport } = loaded.stdio;
      const transport = new StdioServerTransport(stdin, stdout);
      const { promise, resolve } = Promise.withResolvers<void>();
      const { onError } = options;
      const handle = serveStdio(() => createProtocolServer(loaded, serving, identity), {
        transport,
        ...(onError && { onerror: onError }),
      });
      const { onclose } = transport;
      // eslint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
      transport.onclose = () => {
        onclose?.();
        resolve();
      };
      const end = (): Promise<void> => handle.close();
      endings.add(end);
      await promise;
      endings.delete(end);
      await calls.settled();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
