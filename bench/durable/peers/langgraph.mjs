/** LangGraph: a graph of a model and a tool, with a thread for each session. A checkpoint is stored before the next node runs. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { look, measure, order, reply } from "./turn.mjs";

const checkpointer = PostgresSaver.fromConnString(order.where);
await checkpointer.setup();

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", ({ messages }) => {
    const start = messages.findLastIndex((message) => message.getType() === "human");
    const said = reply((messages.length - 1 - start) / 2 + 1);
    return said.text === undefined
      ? {
          messages: [
            new AIMessage({ content: "", tool_calls: [{ ...said.call, args: said.call.input }] }),
          ],
        }
      : { messages: [new AIMessage(said.text)] };
  })
  .addNode("tool", ({ messages }) => ({
    messages: [
      new ToolMessage({ content: look(), tool_call_id: messages.at(-1).tool_calls[0].id }),
    ],
  }))
  .addEdge(START, "model")
  .addConditionalEdges("model", ({ messages }) =>
    messages.at(-1).tool_calls?.length > 0 ? "tool" : END,
  )
  .addEdge("tool", "model")
  .compile({ checkpointer });

await measure(async (session) => {
  const options = { configurable: { thread_id: session }, durability: "sync" };
  const { messages } = await graph.invoke({ messages: [{ role: "user", content: "go" }] }, options);
  return messages.at(-1).content;
});
