/** `@capstan/mcp`: tools, resources and prompts of MCP servers, and logins at them. */
export { fileTokenStore } from "./auth/file-token-store.ts";
export { mcpLogins } from "./auth/logins.ts";
export type {
  McpLogin,
  McpLoginOptions,
  McpLogins,
  McpLoginServer,
  McpLoginsOptions,
} from "./auth/logins.ts";
export type { Registration, StoredLogin, TokenStore } from "./auth/token-store.ts";
export { McpError } from "./errors/mcp-error.ts";
export type { McpErrorCode } from "./errors/mcp-error.ts";
export type { McpElicitation, McpElicitationAnswer } from "./elicitation/elicitation.ts";
export type {
  HttpServerOptions,
  McpAuth,
  McpMode,
  McpOAuthOptions,
  McpServerOptions,
  McpToolOptions,
  StdioServerOptions,
} from "./options/server-options.ts";
export type { McpTool } from "./tools/mcp-tool.ts";
export { mcpTools } from "./tools/mcp-tools.ts";
export type { McpTools, McpToolsOptions } from "./tools/mcp-tools.ts";
export type { ToolSearch } from "./tools/tool-exposure.ts";
export type { McpServerStatus } from "./tools/server-status.ts";
