/** Finds out the state of a server. */
import type { Server } from "../servers/server.ts";
import type { ToolList } from "../servers/tool-list.ts";
import type { McpServerStatus } from "./server-status.ts";

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
