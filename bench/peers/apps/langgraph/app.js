import { tool } from "@langchain/core/tools";
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { model } from "./model.js"; // new ChatAnthropic({ model: "claude-sonnet-5-5" })

const findOrder = tool(async ({ id }) => ({ id, total: 120 }), {
  name: "find_order",
  description: "Looks up an order",
  schema: z.object({ id: z.string() }),
});
const refund = tool(
  async ({ id, amount }) => {
    // When the graph resumes, the node runs again from its start, and interrupt() returns the answer.
    if (amount > 100 && !interrupt({ tool: "refund", id, amount })) return "Denied";
    return `Refunded ${amount} for ${id}`;
  },
  {
    name: "refund",
    description: "Refunds an order",
    schema: z.object({ id: z.string(), amount: z.number() }),
  },
);
const tools = [findOrder, refund];
const system = { role: "system", content: "You help customers with their orders." };

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({
    messages: [await model.bindTools(tools).invoke([system, ...messages])],
  }))
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "model")
  .addConditionalEdges("model", ({ messages }) =>
    messages.at(-1).tool_calls?.length > 0 ? "tools" : END,
  )
  .addEdge("tools", "model")
  .compile({ checkpointer: new MemorySaver() }); // SqliteSaver, PostgresSaver

// The request of a customer.
const config = { configurable: { thread_id: "chat-7" } };
const input = { messages: [{ role: "user", content: "Please refund order A7" }] };
const asked = await graph.invoke(input, config);
console.log(asked.__interrupt__?.map(({ value }) => value));

// Another process, the next day.
const stream = await graph.stream(new Command({ resume: true }), {
  ...config,
  streamMode: "messages",
});
for await (const [message] of stream) {
  if (message.getType() === "ai") console.log(message.content);
}
