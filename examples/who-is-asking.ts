import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const orders: Readonly<Record<string, readonly string[]>> = { ann: ["tea"], bob: ["coffee"] };

// Values of your own about the caller. A server fills them in `authenticate`; a model never sees them.
const appContext = z.object({ tenant: z.string(), role: z.enum(["agent", "admin"]) });

const myOrders = defineTool({
  name: "my_orders",
  description: "Lists the orders of the user",
  input: z.object({}),
  execute: (_, { session }) => orders[session.principal ?? ""] ?? [],
});
const refund = defineTool({
  name: "refund",
  description: "Refunds an order",
  input: z.object({ order: z.string() }),
  appContext, // what this tool needs: an agent without it does not compile
  needsApproval: (_, { app }) => app.role !== "admin",
  execute: ({ order }, { app, turn }) =>
    `Refunded ${order} for ${app.tenant}, asked on ${JSON.stringify(turn.metadata)}`,
});

const calls = reply(callTool("my_orders"), callTool("refund", { order: "tea" }));
const agent = createAgent({
  model: scriptedProvider([calls, say("Refunded.")]),
  appContext,
  tools: [myOrders, refund],
  instructions: ({ app, session }) => `You help ${session.principal} of ${app.tenant}.`,
});

const session = createSession({
  agent,
  principal: "ann",
  metadata: { plan: "free" },
  app: { tenant: "acme", role: "agent" },
});
// This turn only: an administrator is at the keyboard.
const app = { tenant: "acme", role: "admin" } as const;
const { text } = await session.send("Refund my tea", { app, metadata: "phone" }).response;
console.log(text); // → Refunded.
for (const message of session.messages) if (message.role === "tool") console.log(message.content);
// → ["tea"]
// → Refunded tea for acme, asked on "phone"

await session.configure({ metadata: { plan: "paid" } }); // from the next turn on, in every process
console.log(session.metadata); // → { plan: 'paid' }
