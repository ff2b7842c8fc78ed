/** The refund on LangGraph: `interrupt` asks for the approval; a graph that died goes on with `invoke(null)`, as its documentation says. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import {
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { answerTo, bank, orderOf, question } from "../../refund/refund.mjs";

const { command, where } = orderOf();
const checkpointer = PostgresSaver.fromConnString(where);
await checkpointer.setup();

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", ({ messages }) => {
    const last = messages.at(-1);
    if (last.getType() === "tool") return { messages: [new AIMessage(answerTo(last.content))] };
    const call = { id: "call_1", name: "refund", args: { order: "A-1" } };
    return { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
  })
  .addNode("refund", async ({ messages }) => {
    const [call] = messages.at(-1).tool_calls;
    const isApproved = interrupt({ question: "May I refund?", call });
    const content = isApproved ? await bank(call.args.order) : "Denied.";
    return { messages: [new ToolMessage({ content, tool_call_id: call.id })] };
  })
  .addEdge(START, "model")
  .addConditionalEdges("model", ({ messages }) =>
    messages.at(-1).tool_calls?.length > 0 ? "refund" : END,
  )
  .addEdge("refund", "model")
  .compile({ checkpointer });

const options = { configurable: { thread_id: "customer" }, durability: "sync" };
const inputs = {
  ask: { messages: [{ role: "user", content: question }] },
  approve: new Command({ resume: true }),
  resume: null,
};
let result = await graph.invoke(inputs[command], options);
// The approval is asked for again if it was not stored.
if (command === "resume" && "__interrupt__" in result) {
  result = await graph.invoke(inputs.approve, options);
}
console.log(result.messages.at(-1).content);
await checkpointer.end();
