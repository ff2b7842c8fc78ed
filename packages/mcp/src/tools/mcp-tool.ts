/** A tool of an MCP server. */
import type { AnyTool } from "@capstan/core";

/** A tool of an MCP server, with the server's name and a digest of its declaration. */
export interface McpTool extends AnyTool {
  readonly mcp: {
    readonly server: string;
    /** Name that the server gives the tool. */
    readonly tool: string;
    /**
     * Hash of the declaration. A rule that allows the tool should name it: a server can change what a tool does, and its description, after
     * a user has allowed it.
     */
    readonly digest: string;
  };
}
