/** A call that waits for an approval: `ask` in one process, `approve` or `deny` in another. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const [command = "ask", id] = process.argv.slice(2);

const transfer = defineTool({
  name: "transfer",
  description: "Transfers money",
  input: z.object({ to: z.string(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ to, amount }) => {
    console.log(`transferred ${amount} to ${to}`);
    return "Done.";
  },
});
const script =
  command === "ask" ? [callTool("transfer", { to: "Ada", amount: 500 })] : [say("As you wish.")];
const agent = createAgent({ name: "clerk", model: scriptedProvider(script), tools: [transfer] });

const store = sqlite("clerk.db");
const host = createHost({ agents: [agent], repository: store });
const session = await host.session("ada", { agent: "clerk" });

if (command === "ask") {
  const { status, pendingToolCalls = [] } = await session.send("Send Ada 500").response;
  console.log(status, pendingToolCalls.map((call) => call.toolCallId).join(" "));
} else if (id !== undefined) {
  const { error } = await session.approve(id).response; // without a look at the call
  console.log(error?.code, error?.message);
} else {
  for (const call of session.pendingToolCalls) {
    console.log(`${command} ${call.toolName} ${JSON.stringify(call.input)}`);
    const turn = command === "approve" ? session.approve(call) : session.deny(call, "Too much.");
    const { text, error } = await turn.response;
    console.log(error?.message ?? text);
  }
}
await host.close();
await store.close();
