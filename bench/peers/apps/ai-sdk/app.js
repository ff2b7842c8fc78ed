import { readFileSync, writeFileSync } from "node:fs";
import { tool, ToolLoopAgent } from "ai";
import { z } from "zod";
import { model } from "./model.js"; // anthropic("claude-sonnet-5-5") of @ai-sdk/anthropic

const agent = new ToolLoopAgent({
  model,
  instructions: "You help customers with their orders.",
  tools: {
    find_order: tool({
      description: "Looks up an order",
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => ({ id, total: 120 }),
    }),
    refund: tool({
      description: "Refunds an order",
      inputSchema: z.object({ id: z.string(), amount: z.number() }),
      execute: async ({ id, amount }) => `Refunded ${amount} for ${id}`,
    }),
  },
  toolApproval: { refund: ({ amount }) => (amount > 100 ? "user-approval" : undefined) },
});

// The request of a customer. The messages are yours to keep.
const messages = [{ role: "user", content: "Please refund order A7" }];
const asked = await agent.stream({ messages });
await asked.consumeStream();
messages.push(...(await asked.responseMessages));
writeFileSync("chat-7.json", JSON.stringify(messages));

// Another process, the next day.
const saved = JSON.parse(readFileSync("chat-7.json", "utf8"));
const [request] = saved
  .flatMap(({ content }) => (Array.isArray(content) ? content : []))
  .filter(({ type }) => type === "tool-approval-request");
const { approvalId } = request;
saved.push({
  role: "tool",
  content: [{ type: "tool-approval-response", approvalId, approved: true }],
});
const rest = await agent.stream({ messages: saved });
for await (const delta of rest.textStream) console.log(delta);
