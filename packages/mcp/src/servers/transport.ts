/** The wire to a server: a process, or streamable HTTP. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { LoginTokens } from "../auth/login-tokens.ts";
import type {
  HttpServerOptions,
  McpServerOptions,
  StdioServerOptions,
} from "../options/server-options.ts";
import { environmentOf } from "./environment.ts";
import type { Sdk } from "../sdk/sdk.ts";
import { liftTask } from "./task-results.ts";

export interface Wire {
  readonly transport: Transport;
  /** Id of the process; undefined over HTTP. */
  pid(): number | undefined;
  /** Last words of the process, for errors; empty if there are none. */
  stderr(): string;
  /** Ends the session at the server, if the server keeps one. */
  endSession(): Promise<void>;
}

/** Code and data of the error that a request ends with if its response stream ends first. No server sends it. */
export const streamEnded = { code: -32_000, data: "capstan: stream ended" } as const;

const stderrChars = 2_000;

export function createWire(sdk: Sdk, options: McpServerOptions): Wire {
  return "url" in options ? httpWire(sdk, options) : stdioWire(sdk, options);
}

function stdioWire({ stdio }: Sdk, { command, args = [], env, cwd }: StdioServerOptions): Wire {
  const transport = new stdio.StdioClientTransport({
    command,
    args: [...args],
    env: environmentOf(process.env, env),
    // Not inherited: a server that talks must not write into a terminal.
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  let tail = "";
  transport.stderr?.on("data", (chunk: unknown) => {
    tail = `${tail}${String(chunk)}`.slice(-stderrChars);
  });
  // eslint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
  transport.onmessage = liftTask;
  return {
    transport,
    pid: () => transport.pid ?? undefined,
    stderr: () => tail.trim(),
    endSession: async () => {},
  };
}

function httpWire({ client }: Sdk, { url, headers, auth }: HttpServerOptions): Wire {
  const transport = new client.StreamableHTTPClientTransport(new URL(url), {
    // A redirect to another origin fails the request: headers and tokens never follow it.
    redirectPolicy: "same-origin",
    ...(headers && { requestInit: { headers: { ...headers } } }),
    ...(auth && { authProvider: auth }),
    ...(auth instanceof LoginTokens && { fetch: (to, init) => auth.fetch(to, init) }),
  });
  endRequestsWithStreams(transport);
  return {
    transport,
    pid: () => undefined,
    stderr: () => "",
    endSession: () => transport.terminateSession(),
  };
}

/** The SDK lets a request wait for its timeout if its response stream ends without a response. The request ends with the stream instead. */
function endRequestsWithStreams(transport: Transport): void {
  const waiting = new Set<string | number>();
  const send = transport.send.bind(transport);
  // eslint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
  transport.onmessage = (message: JSONRPCMessage) => {
    liftTask(message);
    if ("id" in message && message.id !== undefined && !("method" in message)) {
      waiting.delete(message.id);
    }
  };
  transport.send = async (message, options) => {
    if (!("method" in message && "id" in message)) return send(message, options);
    const { id } = message;
    waiting.add(id);
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      if (!waiting.delete(id) || options?.onRequestStreamEnd !== undefined) return;
      const error = { ...streamEnded, message: "The response ended before the result" };
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (thrown) {
      waiting.delete(id);
      throw thrown;
    }
  };
}
