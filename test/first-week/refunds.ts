import { appendFileSync } from "node:fs";
import { createAgent, createHost, defineTool } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { sqlite } from "@capstan/stores/sqlite";
import { z } from "zod";

const findOrder = defineTool({
  name: "find_order",
  description: "Finds an order",
  input: z.object({ order: z.string() }),
  effect: "pure",
  execute: ({ order }) => ({ order, total: 250 }),
});
const refund = defineTool({
  name: "refund",
  description: "Refunds an amount of an order",
  input: z.object({ order: z.string(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: async ({ order, amount }) => {
    appendFileSync("refunds.txt", `${order} ${amount}\n`);
    console.log("the bank is at work");
    await new Promise((done) => setTimeout(done, Number(process.env["BANK_MS"] ?? 0)));
    return `Refunded ${amount}`;
  },
});
const model = anthropic("claude-opus-5");
const agent = createAgent({ name: "clerk", model, tools: [findOrder, refund] });
const host = createHost({ agents: [agent], repository: sqlite("refunds.db") });
const session = await host.session("customer-1", { agent: "clerk" });

const [command, text = ""] = process.argv.slice(2);
const [call] = session.pendingToolCalls;
const turn = command === "approve" && call ? session.approve(call) : session.send(text);
for await (const event of turn) {
  if (event.type === "text_delta") process.stdout.write(event.delta);
  if (event.type === "error") console.error(event.error.message);
}
for (const { toolName, input } of session.pendingToolCalls) console.log(toolName, input);
await host.close();
