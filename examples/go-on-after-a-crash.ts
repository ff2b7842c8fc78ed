import { createAgent, createHost, defineTool, memoryRepository } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const input = { type: "object", properties: {} } as const;
const payments: string[] = [];
const pay = defineTool({
  name: "pay",
  description: "Pays the bill",
  input, // its effect is "at-most-once", unless it says otherwise
  async execute(_, { idempotencyKey }) {
    payments.push(idempotencyKey);
    await host.close(); // as if the process died here
    return "never seen";
  },
});
const list = defineTool({
  name: "list",
  description: "Lists the payments",
  input,
  effect: "pure", // it may run again
  execute: () => `${payments.length} payment(s)`,
});
const model = scriptedProvider([callTool("pay"), callTool("list"), say("The bill is paid.")]);
const agent = createAgent({ name: "helper", model, tools: [pay, list] });
const repository = memoryRepository(); // the processes share it
const host = createHost({ agents: [agent], repository });

const session = host.createSession({ agent: "helper" });
const { error } = await session.send("Pay the bill").response;
console.log(error?.code); // → host_closed

const elsewhere = await createHost({ agents: [agent], repository }).open(session.id);
const response = await elsewhere.current?.response; // the same turn: it goes on by itself
console.log(response?.status, response?.text); // → completed The bill is paid.
for (const message of elsewhere.messages) {
  if (message.role === "tool") console.log(message.toolName, message.content); // → list 1 payment(s)
}
