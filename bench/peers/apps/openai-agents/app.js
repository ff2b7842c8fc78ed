import { readFileSync, writeFileSync } from "node:fs";
import { Agent, run, RunState, tool } from "@openai/agents";
import { z } from "zod";
import { model } from "./model.js"; // or the name of a model: "gpt-5.5"

const findOrder = tool({
  name: "find_order",
  description: "Looks up an order",
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }) => ({ id, total: 120 }),
});
const refund = tool({
  name: "refund",
  description: "Refunds an order",
  parameters: z.object({ id: z.string(), amount: z.number() }),
  needsApproval: async (_context, { amount }) => amount > 100,
  execute: async ({ id, amount }) => `Refunded ${amount} for ${id}`,
});
const agent = new Agent({
  name: "support",
  instructions: "You help customers with their orders.",
  model,
  tools: [findOrder, refund],
});

// The request of a customer. The state of the run is yours to keep.
const asked = await run(agent, "Please refund order A7");
console.log(asked.interruptions.map(({ name, arguments: input }) => `${name} ${input}`));
writeFileSync("chat-7.json", asked.state.toString());

// Another process, the next day.
const state = await RunState.fromString(agent, readFileSync("chat-7.json", "utf8"));
for (const interruption of state.getInterruptions()) state.approve(interruption);
const rest = await run(agent, state, { stream: true });
for await (const delta of rest.toTextStream({ compatibleWithNodeStreams: false }))
  console.log(delta);
await rest.completed;
