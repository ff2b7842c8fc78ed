import { createAgent } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { createToolset, readOnlyTools } from "@capstan/toolset";

const model = scriptedProvider([
  callTool("grep", { pattern: "^# ", path: "README.md" }),
  say("It is the repository of Capstan."),
]);
const tools = createToolset({ cwd: process.cwd(), tools: readOnlyTools });
const agent = createAgent({ model, tools });

const { messages, text } = await agent.runTurn({ input: "What is this folder?" }).response;
for (const message of messages) if (message.role === "tool") console.log(message.content); // → README.md:1: # Capstan
console.log(text); // → It is the repository of Capstan.
