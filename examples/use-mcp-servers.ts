import { join } from "node:path";
import { createAgent, createSession } from "@capstan/core";
import { mcpTools } from "@capstan/mcp";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const bank = join(import.meta.dirname, "mcp-server", "bank.ts");
const mcp = mcpTools({
  servers: { bank: { command: process.execPath, args: [bank], mode: "auto" } },
  waitMs: 30_000,
});
const model = scriptedProvider([callTool("bank__transfer", { amount: 5 }), say("Done.")]);
const session = createSession({ agent: createAgent({ model, toolSources: [mcp] }) });

// The server asks the user. The turn ends, and nothing is held in memory: the answer may come days
// later, in another process.
const { pendingToolCalls = [] } = await session.send("Pay Ada").response;
const [form] = pendingToolCalls;
const question = form?.input as { message: string } | undefined;
console.log(form?.toolName, question?.message); // → bank__transfer Which account?

// The same call is sent again, with the answer.
const answer = { toolCallId: form?.toolCallId ?? "", output: '{"account":"Ada"}' };
const { messages, text } = await session.send([answer]).response;
const [result] = messages;
if (result?.role === "tool") console.log(result.content); // → Transferred 5 to Ada
console.log(text); // → Done.
console.log(mcp.status()[0]?.protocolVersion); // → 2026-07-28
await session.close();
await mcp.close();
