import { agentTool, createAgent, createSession } from "@capstan/core";
import { callTool, reply, say, scriptedProvider, usage } from "@capstan/testing";

const tokens = usage({ inputTokens: 100, outputTokens: 10 });
const librarian = createAgent({
  name: "librarian",
  model: scriptedProvider([reply(say("The Ashley Book of Knots."), tokens)]),
  instructions: "You find books.",
});
const assistant = createAgent({
  model: scriptedProvider([
    reply(callTool("librarian", { task: "Find the best book about knots" }), tokens),
    reply(say("Read Ashley."), tokens),
  ]),
  tools: [agentTool(librarian, { description: "Finds books. Say what about." })],
});
const session = createSession({ agent: assistant });

for await (const event of session.send("I want to learn about knots")) {
  if (event.type === "tool_execution_delta") console.log("…", event.delta); // → … The Ashley Book of Knots.
}
console.log(session.messages.at(-1)?.role, session.usage); // → assistant { inputTokens: 300, outputTokens: 30 }
