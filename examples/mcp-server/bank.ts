/** A small MCP server: it transfers money, and asks for the account first. Started by examples/use-mcp-servers.ts. */
import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const form = z.object({ account: z.string() });

serveStdio(() => {
  const server = new McpServer({ name: "bank", version: "1.0.0" });
  const transfer = {
    description: "Transfers money",
    inputSchema: z.object({ amount: z.number() }),
  };
  server.registerTool("transfer", transfer, ({ amount }, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "account", form);
    if (answer === undefined) {
      const account = inputRequired.elicit({ message: "Which account?", requestedSchema: form });
      return inputRequired({ inputRequests: { account } });
    }
    return { content: [{ type: "text", text: `Transferred ${amount} to ${answer.account}` }] };
  });
  return server;
});
