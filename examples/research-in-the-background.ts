import { agentTool, createAgent, createHost, defineTool } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const buy = defineTool({
  name: "buy",
  description: "Buys an article",
  input: z.object({ title: z.string() }),
  needsApproval: true,
  execute: ({ title }) => `${title}: seals sleep under water.`,
});
const researcher = createAgent({
  name: "researcher",
  model: scriptedProvider([callTool("buy", { title: "Seals" }), say("Seals sleep under water.")]),
  tools: [buy],
});
const assistant = createAgent({
  name: "assistant",
  model: scriptedProvider([
    callTool("researcher", { task: "How do seals sleep?" }),
    say("I have someone look that up."),
    say("Hello to you, too."),
    say("By the way: seals sleep under water."),
  ]),
  tools: [agentTool(researcher, { description: "Reads a lot", mode: "background" })],
});
const host = createHost({ agents: [assistant], repository: memoryRepository() });
const session = host.createSession({ agent: "assistant" });

// The turn ends while the child works, and the conversation goes on.
console.log(await session.run("How do seals sleep?")); // → I have someone look that up.
console.log(await session.run("Hello!")); // → Hello to you, too.

// The child waits for an approval: it is pending here, although no call of this session is open.
await session.waitForChildren();
const [call] = session.pendingToolCalls;
console.log(
  session.status,
  call?.toolName,
  call?.via?.map(({ agent }) => agent),
); // → completed buy [ 'researcher' ]
await session.approve(call ?? "").response;

// Its answer is a message that starts a turn by itself.
await session.waitForChildren();
const [answer, reply] = session.messages.slice(-2);
console.log(answer?.role === "user" && answer.source); // → child
console.log(reply?.role === "assistant" && reply.content); // → [ { type: 'text', text: 'By the way: seals sleep under water.' } ]
await host.close();
