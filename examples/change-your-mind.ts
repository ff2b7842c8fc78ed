import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider, stall } from "@capstan/testing";
import { z } from "zod";

const book = defineTool({
  name: "book",
  description: "Books a train",
  input: z.object({ to: z.string() }),
  needsApproval: true,
  execute: ({ to }) => `Booked a train to ${to}`,
});
const model = scriptedProvider([
  callTool("book", { to: "Rome" }),
  say("Not booked. It is noon."),
  stall(),
  say("Here I am."),
]);
const session = createSession({ agent: createAgent({ model, tools: [book] }) });

await session.send("Book a train to Rome").response;
const refused = await session.send("What is the time?").response;
console.log(refused.error?.code); // → calls_pending

const { text } = await session.send("What is the time?", { ifPending: "settle" }).response;
console.log(text); // → Not booked. It is noon.
for (const message of session.messages) if (message.role === "tool") console.log(message.content); // → Denied: the user sent another message.

const stuck = session.send("Are you there?");
for await (const { type } of stuck) if (type === "attempt_start") break;
console.log(await session.abandon("it hangs")); // → true
console.log((await stuck.response).error?.message); // → The turn was abandoned: it hangs
console.log(await session.run("And now?")); // → Here I am.
