import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Agent } from "@earendil-works/pi-agent-core";
import { Type } from "typebox";
import { model, streamFn } from "./model.js"; // createModels() of @earendil-works/pi-ai

const text = (value) => ({ content: [{ type: "text", text: value }], details: undefined });
const findOrder = {
  name: "find_order",
  label: "Find order",
  description: "Looks up an order",
  parameters: Type.Object({ id: Type.String() }),
  execute: async (_id, { id }) => text(JSON.stringify({ id, total: 120 })),
};
const refund = {
  name: "refund",
  label: "Refund",
  description: "Refunds an order",
  parameters: Type.Object({ id: Type.String(), amount: Type.Number() }),
  execute: async (_id, { id, amount }) => text(`Refunded ${amount} for ${id}`),
};
const agent = new Agent({
  initialState: {
    systemPrompt: "You help customers with their orders.",
    model,
    tools: [findOrder, refund],
  },
  streamFn,
  // The process waits for the answer.
  beforeToolCall: async ({ toolCall, args }) => {
    if (toolCall.name !== "refund" || args.amount <= 100) return undefined;
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await terminal.question(`Refund ${args.amount} for ${args.id}? (y/n) `);
    terminal.close();
    return answer === "y" ? undefined : { block: true, reason: "The user refused." };
  },
});
agent.subscribe((event) => {
  if (event.type !== "message_update") return;
  const { assistantMessageEvent: part } = event;
  if (part.type === "text_delta") console.log(part.delta);
});
await agent.prompt("Please refund order A7");
writeFileSync("chat-7.json", JSON.stringify(agent.state.messages)); // yours to keep, once it is done
