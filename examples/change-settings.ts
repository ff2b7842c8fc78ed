import { createAgent, createSession, defineTool } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";

const small = { provider: scriptedProvider([say("Two")], { id: "a" }), id: "small" };
const large = { provider: scriptedProvider([say("One"), say("Three")], { id: "a" }), id: "large" };
const note = defineTool({ name: "note", description: "Takes a note", input: { type: "object" } });
const instructions = "Be brief.";
// A log has the names of models only. Other processes find them in `models`, or by `resolveModel`.
const agent = createAgent({ model: small, models: [large], tools: [note], instructions });
const session = createSession({ agent });

await session.send("One", { model: large, maxTokens: 50 }).response; // for this turn only
console.log(session.state.model); // → a/small
await session.send("Two").response;

await session.configure({ model: large, thinkingLevel: "high" }); // from the next turn on, in every process
await session.configure({ tools: [], instructions: "Be thorough.", title: "Numbers" });
const { model, thinkingLevel, tools } = session.state;
console.log(model, thinkingLevel, tools, session.title); // → a/large high [] Numbers
await session.send("Three").response;

for (const { options, tools } of [...small.provider.requests, ...large.provider.requests]) {
  console.log(options.model, options.thinkingLevel, options.systemPrompt, tools); // → large high Be thorough. []
}
