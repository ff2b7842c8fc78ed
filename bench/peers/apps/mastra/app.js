import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { model } from "./model.js"; // or "anthropic/claude-sonnet-5-5"

const findOrder = createTool({
  id: "find_order",
  description: "Looks up an order",
  inputSchema: z.object({ id: z.string() }),
  execute: async ({ id }) => ({ id, total: 120 }),
});
const refund = createTool({
  id: "refund",
  description: "Refunds an order",
  inputSchema: z.object({ id: z.string(), amount: z.number() }),
  requireApproval: async ({ amount }) => amount > 100,
  execute: async ({ id, amount }) => ({ text: `Refunded ${amount} for ${id}` }),
});
const support = new Agent({
  id: "support",
  name: "support",
  instructions: "You help customers with their orders.",
  model,
  tools: { find_order: findOrder, refund },
});
const mastra = new Mastra({ agents: { support }, storage: new InMemoryStore() }); // LibSQLStore, PostgresStore
const agent = mastra.getAgent("support");

// The request of a customer.
const asked = await agent.stream("Please refund order A7");
let call;
for await (const chunk of asked.fullStream) {
  if (chunk.type === "tool-call-approval") call = chunk.payload;
}
console.log(call?.toolName, call?.args, asked.runId); // keep the ids of the run and the call

// Another process, the next day.
const { toolCallId } = call;
const rest = await agent.approveToolCall({ runId: asked.runId, toolCallId });
for await (const delta of rest.textStream) console.log(delta);
