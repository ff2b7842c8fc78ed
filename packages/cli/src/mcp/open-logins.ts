/** The user's logins at MCP servers. Loads the package: import it when a login is needed. */
import { join } from "node:path";
import type { McpLogins } from "@capstan/mcp";
import { fileTokenStore, mcpLogins } from "@capstan/mcp";
import type { UserFolders } from "../config/folders.ts";

export function openLogins({ dataFolder }: UserFolders): McpLogins {
  return mcpLogins({ store: fileTokenStore(join(dataFolder, "mcp-logins.json")) });
}
