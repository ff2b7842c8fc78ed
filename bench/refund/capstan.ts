/** The refund on Capstan: `ask`, `approve` and `resume`, each in a process of its own, on one SQLite file. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { sqlite } from "@capstan/stores/sqlite";
import { z } from "zod";
import { answerTo, bank, orderOf, question } from "./refund.mjs";

const { command, where } = orderOf();

const refund = defineTool({
  name: "refund",
  description: "Refunds an order",
  input: z.object({ order: z.string() }),
  needsApproval: true,
  execute: ({ order }) => bank(order),
});

/** Asks for the refund, and then says what came of it. */
const model: ProviderContract = {
  id: "script",
  contextWindow: 100_000,
  async *stream({ messages }) {
    const last = messages.at(-1);
    if (last?.role === "tool") {
      yield { type: "text_delta", delta: answerTo(JSON.stringify(last.content)) };
      yield { type: "finish", reason: "stop" };
      return;
    }
    yield { type: "toolcall_start", index: 0, name: "refund" };
    yield { type: "toolcall_delta", index: 0, delta: '{"order":"A-1"}' };
    yield { type: "toolcall_end", index: 0 };
    yield { type: "finish", reason: "tool-calls" };
  },
};

const agent = createAgent({ name: "clerk", model, tools: [refund] });
const store = sqlite(where);
const host = createHost({ agents: [agent], repository: store });
const session = await host.session("customer", { agent: "clerk" });
if (command === "ask") await session.send(question).response;
for (const call of command === "approve" ? session.pendingToolCalls : []) {
  await session.approve(call).response;
}
// Opening the session has resumed its turn.
if (command === "resume") await session.waitForIdle();
const last = session.messages.at(-1);
const parts = last?.role === "assistant" && typeof last.content !== "string" ? last.content : [];
console.log(parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
await host.close();
await store.close();
