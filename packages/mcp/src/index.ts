export { McpError } from "./errors/mcp-error.ts";
export type { McpErrorCode } from "./errors/mcp-error.ts";
export type { McpElicitation, McpElicitationAnswer } from "./elicitation/elicitation.ts";
export type {
  HttpServerOptions,
  McpAuth,
  McpMode,
  McpServerOptions,
  McpToolOptions,
  StdioServerOptions,
} from "./options/server-options.ts";
export type { McpTool } from "./tools/mcp-tool.ts";
export { mcpTools } from "./tools/mcp-tools.ts";
export type { McpTools, McpToolsOptions } from "./tools/mcp-tools.ts";
export type { McpServerStatus } from "./tools/server-status.ts";
