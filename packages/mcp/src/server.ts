/** `@capstan/mcp/server`: agents of a host as tools for MCP clients. */
export { mcpServer } from "./serving/mcp-server.ts";
export type { McpAgentServer, StdioOptions } from "./serving/mcp-server.ts";
export { toNodeListener } from "./serving/node-listener.ts";
export type {
  McpIdentity,
  McpServerOptionsOfHost,
  OfferedAgent,
  ServingLimits,
} from "./serving/serving-options.ts";
