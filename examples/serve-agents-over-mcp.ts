// Offers an agent to MCP clients. Each call is a turn of a durable session, and what needs an approval is asked of the client's user.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent, createHost, defineTool, memoryRepository } from "@capstan/core";
import { mcpServer, toNodeListener } from "@capstan/mcp/server";
import { bearerTokens } from "@capstan/server";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice",
  input: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => `Paid ${amount}`,
});
const model = scriptedProvider([callTool("pay", { amount: 5 }), say("The invoice is paid.")]);
const agent = createAgent({ name: "clerk", model, tools: [pay] });

// The server. `mcpServer(host).serveStdio({ principal })` serves a client that starts this program.
const host = createHost({ agents: [agent], repository: memoryRepository() });
const token = crypto.randomUUID();
const server = mcpServer(host, {
  agents: { clerk: { description: "Looks after invoices." } },
  authenticate: bearerTokens({ ada: token }),
});
const http = createServer(toNodeListener(server.handle));
await new Promise<void>((resolve) => {
  http.listen(0, "127.0.0.1", resolve);
});
const { port } = http.address() as AddressInfo;

// A client, from the protocol's own SDK. Its user is shown the call and allows it.
const client = new Client(
  { name: "example", version: "1" },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
);
let question: string | undefined;
client.setRequestHandler("elicitation/create", ({ params }) => {
  [question] = params.message.split("\n");
  return { action: "accept", content: { approve: true } };
});
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const url = new URL(`http://127.0.0.1:${port}/mcp`);
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
console.log((await client.listTools()).tools.map(({ name }) => name)); // → [ 'clerk' ]

const result = await client.callTool({ name: "clerk", arguments: { prompt: "Pay the invoice" } });
console.log(question); // → Allow the agent to run pay with this input?
const [answer] = result.content;
if (answer?.type === "text") console.log(answer.text); // → The invoice is paid.

// The session is stored, and a later call may continue it.
const { sessions } = await host.list({ principal: "ada" });
console.log(sessions.length); // → 1

await client.close();
await server.close();
await host.close();
http.close();
