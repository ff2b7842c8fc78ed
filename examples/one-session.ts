import { createAgent, createHost, memoryRepository } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const pick = { name: "pick", description: "Lets the user pick", inputSchema: { type: "object" } };
const agent = createAgent({
  name: "helper",
  model: scriptedProvider([callTool("pick", { of: ["red", "blue"] }), say("Blue it is.")]),
  tools: [pick], // it has no execute, so somebody else runs it
});
const repository = memoryRepository();
const host = createHost({ agents: [agent], repository });

const session = host.createSession({ agent: "helper" });
const asked = await session.send("Which colour?").response;
console.log(asked.status); // → awaiting_tool_execution
await host.close(); // nothing runs, nothing is held

const [call] = asked.pendingToolCalls ?? [];
const other = createHost({ agents: [agent], repository }); // hours later, in another process
const elsewhere = await other.open(session.id);
const answers = [{ toolCallId: call?.toolCallId ?? "", output: "blue" }];
for await (const event of elsewhere.send(answers)) {
  if (event.type === "text_delta") console.log(event.delta); // → Blue it is.
}
console.log(elsewhere.status, elsewhere.messages.length); // → completed 4
