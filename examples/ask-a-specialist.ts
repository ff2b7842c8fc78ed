import { agentTool, createAgent, createHost, defineTool } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Pays an order back",
  input: z.object({ order: z.string() }),
  needsApproval: true,
  execute: ({ order }) => `Paid ${order} back`,
});
const billing = createAgent({
  name: "billing",
  model: scriptedProvider([callTool("refund", { order: "A7" }), say("A7 is paid back.")]),
  tools: [refund],
});
const shipping = createAgent({
  name: "shipping",
  model: scriptedProvider([say("A7 never left the house.")]),
});
const support = createAgent({
  name: "support",
  model: scriptedProvider([
    reply(
      callTool("shipping", { task: "Where is A7?" }),
      callTool("billing", { task: "Pay A7 back" }),
    ),
    say("Your money is on its way."),
  ]),
  tools: [
    agentTool(shipping, { description: "Knows where parcels are" }),
    agentTool(billing, { description: "Knows about money" }),
  ],
});
const host = createHost({ agents: [support], repository: memoryRepository() });
const session = host.createSession({ agent: "support" });

// Each call is the work of a child session. What waits in one is pending here, with the path to it.
const { status } = await session.send("Where is my parcel?").response;
const [call] = session.pendingToolCalls;
console.log(status, call?.toolName); // → awaiting_tool_execution refund
console.log(call?.via?.map(({ agent }) => agent)); // → [ 'billing' ]

const { text } = await session.approve(call ?? "").response;
console.log(text); // → Your money is on its way.
const { sessions } = await host.list();
console.log(sessions.map(({ head }) => head.agent).toSorted()); // → [ 'billing', 'shipping', 'support' ]
await host.close();
