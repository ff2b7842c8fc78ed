import { createAgent, createSession } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { openai } from "@capstan/providers/openai";
import { callTool, echoTool, reply, say, think } from "@capstan/testing";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";

// In the place of the real services, which need keys. Both refuse what the real ones refuse.
const claude = await anthropicEmulator([
  reply(think("An echo would do."), callTool("echo", { text: "hello" })),
  say("It says hello."),
]);
const gpt = await openAiResponsesEmulator([say("Still hello.")]);

// With the real services: anthropic("claude-opus-5"), and ANTHROPIC_API_KEY in the environment.
const opus = anthropic("claude-opus-5", { baseUrl: claude.url, apiKey: "any" });
const other = openai("gpt-5.5", { baseUrl: gpt.url, apiKey: "any" });

const agent = createAgent({
  model: opus,
  models: [other],
  tools: [echoTool()],
  thinkingLevel: "high",
  includeCost: true,
});
const session = createSession({ agent });

const first = await session.send("Say hello to the echo").response;
console.log(first.text); // → It says hello.
console.log((first.cost ?? 0) > 0); // → true

// Another vendor goes on with the same conversation: what only the first one can read is left out.
const second = await session.send("And now?", { model: other }).response;
console.log(second.text); // → Still hello.
console.log(claude.refusals.length + gpt.refusals.length); // → 0
await session.close();
await claude.close();
await gpt.close();
