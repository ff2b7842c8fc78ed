/** State of a server, for user interfaces. */
import type { McpError } from "../errors/mcp-error.ts";
import type { Server } from "../servers/server.ts";
import type { ToolList } from "../servers/tool-list.ts";

export interface McpServerStatus {
  readonly name: string;
  /** `idle`: not needed yet, or gone; it is started again when it is needed. `failed`: it is tried again later. */
  readonly state: "idle" | "starting" | "ready" | "failed";
  /** Tools that it listed last. */
  readonly tools: number;
  /** Version of the protocol that is spoken, if it is connected. */
  readonly protocolVersion?: string;
  /** Id of its process, if it runs as one. */
  readonly pid?: number;
  readonly error?: McpError;
}

export function statusOf(server: Server, list: ToolList): McpServerStatus {
  const version = server.connection?.client.getNegotiatedProtocolVersion();
  const { problem } = list;
  const pid = server.connection?.pid;
  return {
    name: server.name,
    state: stateOf(server, list),
    tools: list.current?.tools.length ?? 0,
    ...(version !== undefined && { protocolVersion: version }),
    ...(pid !== undefined && { pid }),
    ...(problem !== undefined && { error: problem }),
  };
}

function stateOf(server: Server, list: ToolList): McpServerStatus["state"] {
  if (server.isStarting || (list.isFetching && list.current === undefined)) return "starting";
  if (list.problem !== undefined) return "failed";
  return server.connection === undefined ? "idle" : "ready";
}
