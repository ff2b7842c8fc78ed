import { createAnthropic } from "@ai-sdk/anthropic";
import { createAgent, defineTool } from "@capstan/core";
import { fromAiSdk, fromAiSdkTools } from "@capstan/providers/ai-sdk";
import { toAiSdkMessages, toAiSdkTools } from "@capstan/providers/ai-sdk";
import { callTool, say } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";

// In the place of the real service, which needs a key. With it: `anthropic` of @ai-sdk/anthropic, as it is.
const service = await anthropicEmulator([
  callTool("weather", { city: "Rome" }),
  say("28 degrees."),
  callTool("clock", { city: "Rome" }),
  say("It is noon there."),
]);
const anthropic = createAnthropic({ baseURL: `${service.url}/v1`, apiKey: "any" });
const claude = anthropic("claude-opus-5");

// A model and a tool of the AI SDK, for an agent of ours.
const weather = tool({
  description: "Weather of a city, today",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 28 }),
});
const agent = createAgent({ model: fromAiSdk(claude), tools: fromAiSdkTools({ weather }) });
const asked = { role: "user", id: "1", content: "How warm is Rome?" } as const;
const { text, messages } = await agent.runTurn({ input: asked.content }).response;
console.log(text); // → 28 degrees.

// A tool and a transcript of ours, for a function of the AI SDK.
const clock = defineTool({
  name: "clock",
  description: "Time in a city, now",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `12:00 in ${city}`,
});
const answer = await generateText({
  model: claude,
  tools: toAiSdkTools([clock]),
  messages: [
    ...toAiSdkMessages([asked, ...messages]),
    { role: "user", content: "And what time is it?" },
  ],
  stopWhen: isStepCount(2),
});
console.log(answer.text); // → It is noon there.
console.log(service.refusals.length); // → 0
await service.close();
