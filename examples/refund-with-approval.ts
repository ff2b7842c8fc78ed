import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createHost, defineTool } from "@capstan/core";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const findOrder = defineTool({
  name: "find_order",
  description: "Looks up an order",
  input: z.object({ id: z.string() }),
  effect: "pure",
  execute: ({ id }) => ({ id, total: 120 }),
});
const refund = defineTool({
  name: "refund",
  description: "Refunds an order",
  input: z.object({ id: z.string(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ id, amount }) => `Refunded ${amount} for ${id}`,
});
const agent = createAgent({
  name: "support",
  instructions: "You help customers with their orders.",
  model: scriptedProvider([
    callTool("find_order", { id: "A7" }),
    callTool("refund", { id: "A7", amount: 120 }),
    say("Your refund of 120 is on its way."),
  ]), // a real model: anthropic("claude-sonnet-5-5")
  tools: [findOrder, refund],
});
const path = join(mkdtempSync(join(tmpdir(), "support-")), "sessions.db");

// The request of a customer. The turn suspends: nothing runs until someone decides.
const store = sqlite(path);
const host = createHost({ agents: [agent], repository: store });
const session = await host.session("chat-7", { agent: "support" });
const { status } = await session.send("Please refund order A7").response;
console.log(status); // → awaiting_tool_execution
await host.close();
await store.close();

// Another process, the next day: someone approves exactly what the model asked for.
const sameStore = sqlite(path);
const otherHost = createHost({ agents: [agent], repository: sameStore });
const chat = await otherHost.session("chat-7", { agent: "support" });
const [call] = chat.pendingToolCalls;
console.log(call?.toolName, call?.input); // → refund { id: 'A7', amount: 120 }
for await (const event of chat.approve(call ?? "")) {
  if (event.type === "text_delta") console.log(event.delta); // → Your refund of 120 is on its way.
}
await otherHost.close();
await sameStore.close();
