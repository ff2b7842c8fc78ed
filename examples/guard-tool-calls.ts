import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const send = defineTool({
  name: "send",
  description: "Sends money",
  input: z.object({ to: z.string(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ to, amount }) => `Sent ${amount} to ${to}, account 12345678`,
});
const calls = reply(
  callTool("send", { to: "Ada", amount: 5 }),
  callTool("send", { to: "Eve", amount: 5 }),
  callTool("send", { to: "Bob", amount: 500 }),
);
const agent = createAgent({
  model: scriptedProvider([calls, say("Ada and Bob have their money.")]),
  tools: [send],
  hooks: {
    before({ input }) {
      const { to } = input as { readonly to: string };
      if (to === "Eve") return { action: "block", reason: "Not to Eve." }; // the model reads it
      return { action: "run" }; // or "ask", which suspends, or "alter"
    },
    after(_, result) {
      if (typeof result.output !== "string") return result;
      return { ...result, output: result.output.replace(/\d{8}/, "…") };
    },
  },
});
const session = createSession({ agent });

const { status, pendingToolCalls = [] } = await session.send("Pay my debts").response;
console.log(status); // → awaiting_tool_execution
const [call] = pendingToolCalls;
console.log(call?.toolName, call?.kind, call?.input); // → send approval { to: 'Bob', amount: 500 }

const { toolCallId = "" } = call ?? {};
const wrong = await session.approve({ toolCallId, hash: "other" }).response;
console.log(wrong.error?.code); // → hash_mismatch
const { text } = await session.approve(toolCallId).response; // or deny(call, reason)
console.log(text); // → Ada and Bob have their money.
for (const message of session.messages) if (message.role === "tool") console.log(message.content); // → Sent 500 to Bob, account …
