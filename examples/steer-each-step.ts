import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const search = defineTool({
  name: "search",
  description: "Searches the handbook",
  input: z.object({ query: z.string() }),
  execute: ({ query }) => `Three pages about ${query}`,
});
const large = scriptedProvider([callTool("search", { query: "holidays" })], { id: "large" });
const small = scriptedProvider([say("You have 30 days.")], { id: "small" });

const agent = createAgent({
  model: large,
  models: [{ provider: small, id: "" }],
  tools: [search],
  prepareStep({ step }) {
    if (step === 1) return { toolChoice: { tool: "search" } };
    // The rest is for a smaller model, without tools. What is appended stays in the conversation.
    return { model: "small", activeTools: [], append: "Answer in one sentence." };
  },
});
const session = createSession({ agent });

console.log(await session.run("How many holidays do I have?")); // → You have 30 days.
console.log(large.requests[0]?.options.toolChoice); // → { tool: 'search' }
console.log(small.requests[0]?.tools); // → []
const roles = session.messages.map(({ role }) => role);
console.log(roles.join(" ")); // → user assistant tool user assistant
