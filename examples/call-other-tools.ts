import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const price = defineTool({
  name: "price",
  description: "Price of an article",
  input: z.object({ article: z.string() }),
  execute({ article }) {
    console.log(`looked up ${article}`);
    return "12";
  },
});
const buy = defineTool({
  name: "buy",
  description: "Buys an article",
  input: z.object({ article: z.string(), price: z.number() }),
  needsApproval: true,
  execute: (order) => `Bought ${order.article} for ${order.price}`,
});
const restock = defineTool({
  name: "restock",
  description: "Buys what is missing",
  input: z.object({ articles: z.array(z.string()) }),
  // It may run again, because all that it does is in the calls that it makes.
  effect: "idempotent",
  async execute({ articles }, { call }) {
    for (const article of articles) {
      const { output } = await call(price, { article });
      const bought = await call(buy, { article, price: Number(output) });
      if (bought.isDenied) return `The user refused to buy ${article}`;
    }
    return `Bought ${articles.join(", ")}`;
  },
});
const model = scriptedProvider([callTool("restock", { articles: ["rope"] }), say("Done.")]);
const session = createSession({ agent: createAgent({ model, tools: [price, buy, restock] }) });

const { status, pendingToolCalls = [] } = await session.send("We have no rope").response;
// → looked up rope
console.log(status, pendingToolCalls[0]?.input);
// → awaiting_tool_execution { article: 'rope', price: 12 }

const { messages } = await session.approve(pendingToolCalls[0] ?? "").response;
const [result] = messages;
if (result?.role === "tool") console.log(result.content); // → Bought rope
