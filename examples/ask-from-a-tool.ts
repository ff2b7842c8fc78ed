import { createAgent, createSession, defineTool, suspend } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const transfer = defineTool({
  name: "transfer",
  description: "Transfers money",
  input: z.object({ amount: z.number() }),
  execute({ amount }, { resumed }) {
    const [answer] = resumed?.answers ?? [];
    if (answer?.state !== "settled") {
      const form = { question: "Which account?", amount };
      return suspend({ questions: [{ kind: "execution", input: form }], state: null });
    }
    return `Transferred ${amount} to ${JSON.stringify(answer.result.output)}`;
  },
});
const model = scriptedProvider([callTool("transfer", { amount: 5 }), say("Done.")]);
const session = createSession({ agent: createAgent({ model, tools: [transfer] }) });

// The turn ends, and nothing is held in memory: the answer may come days later, in another process.
const { status, pendingToolCalls = [] } = await session.send("Pay Ada").response;
console.log(status); // → awaiting_tool_execution
const [form] = pendingToolCalls;
console.log(form?.input); // → { question: 'Which account?', amount: 5 }

const answer = { toolCallId: form?.toolCallId ?? "", output: "Ada's account" };
const { messages, text } = await session.send([answer]).response;
const [result] = messages;
if (result?.role === "tool") console.log(result.content); // → Transferred 5 to "Ada's account"
console.log(text); // → Done.
