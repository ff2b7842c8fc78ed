/** Cost, budgets, and a second model that takes over. */
import { createAgent, createSession, defineTool } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { openai } from "@capstan/providers/openai";
import { openaiCompatible } from "@capstan/providers/openai-compatible";
import { withFallback } from "@capstan/providers/with-fallback";
import { callTool, failBefore, reply, say, usage } from "@capstan/testing";
import {
  anthropicEmulator,
  openAiChatEmulator,
  openAiResponsesEmulator,
} from "@capstan/testing/emulators";
import { z } from "zod";

const million = usage({ inputTokens: 1_000_000, outputTokens: 0 });

// Two vendors, the first of which is overloaded: the cost is that of the second.
const claude = await anthropicEmulator([failBefore("overloaded")]);
const gpt = await openAiResponsesEmulator([reply(say("Here I am."), million)]);
const both = withFallback([
  anthropic("claude-opus-5", { baseUrl: claude.url, apiKey: "key-of-claude" }),
  openai("gpt-5-mini", { baseUrl: gpt.url, apiKey: "key-of-gpt" }),
]);
const session = createSession({ agent: createAgent({ model: both, includeCost: true }) });
console.log(await session.run("Anyone there?"));
console.log(
  session
    .getUsage()
    .byModel.map(({ model, cost }) => `${model} ${cost}`)
    .join(", "),
);

// One model at two hosts: each is sent its own key.
const a = await openAiChatEmulator([failBefore("overloaded")]);
const b = await openAiChatEmulator([say("From the second host.")]);
const hosts = withFallback([
  openaiCompatible({ baseUrl: a.url, id: "host-a" })("gpt-4o"),
  openaiCompatible({ baseUrl: b.url, id: "host-b" })("gpt-4o"),
]);
const getApiKey = (id: string) => `secret-of-${id}`;
const keyed = createAgent({ model: hosts, getApiKey, compaction: false });
console.log(await keyed.run("And here?"));
console.log(b.requests[0]?.headers["authorization"]);

// A budget ends the turn before the request that would pass it, and there is no answer.
const look = defineTool({
  name: "look",
  description: "Looks around",
  input: z.object({}),
  execute: () => "Nothing here.",
});
const spender = await openAiResponsesEmulator([reply(callTool("look"), million)]);
const frugal = createAgent({
  model: openai("gpt-5-mini", { baseUrl: spender.url, apiKey: "any" }),
  tools: [look],
  budgets: { cost: 0.1 },
});
await frugal.run("Look").catch((error: unknown) => console.log(String(error)));

for (const service of [claude, gpt, a, b, spender]) await service.close();
