import { createAgent, createSession } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { openai } from "@capstan/providers/openai";
import { withFallback } from "@capstan/providers/with-fallback";
import { failBefore, say } from "@capstan/testing";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";

// Emulated services, which need no key. The first is overloaded once.
const claude = await anthropicEmulator([failBefore("overloaded"), say("Back again.")]);
const gpt = await openAiResponsesEmulator([say("Hello from the second model.")]);

const model = withFallback([
  anthropic("claude-opus-5", { baseUrl: claude.url, apiKey: "any" }),
  openai("gpt-5.5", { baseUrl: gpt.url, apiKey: "any" }),
]);
const session = createSession({ agent: createAgent({ model, includeCost: true }) });

for await (const event of session.send("Hello")) {
  if (event.type === "attempt_discarded") console.log(event.model, event.error.code); // → anthropic/claude-opus-5 overloaded
  if (event.type === "text_delta") console.log(event.delta); // → Hello from the second model.
}

// A later turn starts with the first model again. Usage is counted for the model that was asked.
console.log(await session.run("Hello again")); // → Back again.
console.log(session.getUsage().byModel.map((row) => row.model));
await session.close();
await claude.close();
await gpt.close();
