import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const pick = { name: "pick", description: "Lets the user pick", inputSchema: { type: "object" } };
const agent = createAgent({
  name: "helper",
  model: scriptedProvider([callTool("pick", { of: ["red", "blue"] }), say("Blue it is.")]),
  tools: [pick], // it has no execute, so somebody else runs it
});
const host = createHost({ agents: [agent], repository: memoryRepository() });

const session = host.createSession({ agent: "helper" });
const asked = await session.send("Which colour?").response;
console.log(asked.status, asked.pendingToolCalls); // awaiting_tool_execution: nothing runs, nothing is held

const [call] = asked.pendingToolCalls ?? [];
const elsewhere = await host.open(session.id); // any host on the same repository can go on
const answers = [{ toolCallId: call?.toolCallId ?? "", ok: true, output: "blue" }];
for await (const event of elsewhere.send(answers)) console.log(event.type);
console.log(elsewhere.status, elsewhere.messages.length);
await host.close();
