/** What a caller sets reaches the wire of the vendor it is for, and no other. */
import { createAgent } from "@capstan/core";
import type { AgentInit, Model } from "@capstan/core";
import type { SamplingSettings } from "@capstan/kernel";
import { say } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import {
  anthropicEmulator,
  googleEmulator,
  openAiChatEmulator,
  openAiResponsesEmulator,
} from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { google } from "../src/google.ts";
import { openaiCompatible } from "../src/openai-compatible.ts";
import { openai } from "../src/openai.ts";
import { vendors } from "../src/vendors.ts";
import { bodyFor } from "./chat/requests.ts";

type Connect = (baseUrl: string) => Model;
type Start = () => Promise<Emulator>;

const script = [say("Hello")];
const key = { apiKey: "any" };
const claude: Connect = (baseUrl) => anthropic("claude-sonnet-4-5", { baseUrl, ...key });
const gpt: Connect = (baseUrl) => openai("gpt-4.1", { baseUrl, ...key });
const thinker: Connect = (baseUrl) => openai("gpt-5.5", { baseUrl, ...key });
const chosen: Connect = (baseUrl) =>
  openai("gpt-4.1", {
    baseUrl,
    ...key,
    providerOptions: { openai: { truncation: "auto", user: "model" } },
  });
const gemini: Connect = (url) => google("gemini-2.5-flash", { baseUrl: `${url}/v1beta`, ...key });
const house: Connect = (baseUrl) =>
  openaiCompatible({ baseUrl, id: "house" })("gpt-4o-mini", { ...key });
const mistral: Connect = (baseUrl) =>
  vendors["mistral"]?.("mistral-large-latest", { baseUrl, ...key }) as Model;

const sampling: SamplingSettings = {
  topP: 0.5,
  topK: 7,
  stop: ["END"],
  seed: 42,
  frequencyPenalty: 0.25,
  presencePenalty: 0.5,
  serviceTier: "auto",
};

const startMessages: Start = () => anthropicEmulator(script);
const startResponses: Start = () => openAiResponsesEmulator(script);
const startChat: Start = () => openAiChatEmulator(script);
const startMistral: Start = () => openAiChatEmulator(script, { dialect: "mistral" });
const startGoogle: Start = () => googleEmulator(script);

async function bodyOf(
  start: Start,
  connect: Connect,
  settings: Partial<AgentInit>,
): Promise<unknown> {
  await using service = await start();
  const agent = createAgent({ model: connect(service.url), ...settings, compaction: false });
  await agent.runTurn({ input: "Hello" }).response;
  expect(service.refusals).toEqual([]);
  return service.requests[0]?.body;
}

test.each([
  [
    "Messages",
    startMessages,
    claude,
    { top_p: 0.5, top_k: 7, stop_sequences: ["END"], service_tier: "auto" },
    ["seed", "frequency_penalty", "presence_penalty"],
  ],
  [
    "Responses",
    startResponses,
    gpt,
    { top_p: 0.5, service_tier: "auto" },
    ["top_k", "stop", "seed", "frequency_penalty", "presence_penalty"],
  ],
  [
    "Mistral's Chat Completions",
    startMistral,
    mistral,
    {
      top_p: 0.5,
      stop: ["END"],
      random_seed: 42,
      frequency_penalty: 0.25,
      presence_penalty: 0.5,
      service_tier: "auto",
    },
    ["top_k", "seed"],
  ],
  [
    "generateContent",
    startGoogle,
    gemini,
    {
      serviceTier: "auto",
      generationConfig: {
        topP: 0.5,
        topK: 7,
        stopSequences: ["END"],
        seed: 42,
        frequencyPenalty: 0.25,
        presencePenalty: 0.5,
      },
    },
    [],
  ],
] as const)("%s has the sampling settings that it knows", async (_, start, connect, has, lacks) => {
  const body = await bodyOf(start, connect, sampling);

  expect(body).toMatchObject(has);
  expect(Object.keys(body as object).filter((name) => lacks.includes(name as never))).toEqual([]);
});

test("Messages has no top-p beside a temperature", async () => {
  const body = await bodyOf(startMessages, claude, { temperature: 0.5, topP: 0.5, topK: 7 });

  expect(body).toMatchObject({ temperature: 0.5, top_k: 7 });
  expect(body).not.toHaveProperty("top_p");
});

test("Chat Completions has a top-k, which OpenAI's own models do not take", () => {
  expect(bodyFor("some-model", { options: { topK: 7 } })).toMatchObject({ top_k: 7 });
});

test("Chat Completions has all the others", async () => {
  const { topK: _, ...others } = sampling;

  expect(await bodyOf(startChat, house, others)).toMatchObject({
    top_p: 0.5,
    stop: ["END"],
    seed: 42,
    frequency_penalty: 0.25,
    presence_penalty: 0.5,
    service_tier: "auto",
  });
});

test.each([
  ["Messages", startMessages, claude, { metadata: { user_id: "u7" } }],
  ["Responses", startResponses, gpt, { truncation: "auto", text: { verbosity: "medium" } }],
  ["Chat Completions", startChat, house, { logit_bias: { "50256": -100 }, user: "u7" }],
  [
    "generateContent",
    startGoogle,
    gemini,
    { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }] },
  ],
] as const)("%s has the options of its vendor as they are", async (_, start, connect, options) => {
  const others = { vendor: { of: "another" } };
  const providerOptions = {
    anthropic: others,
    openai: others,
    google: others,
    house: others,
    [connect("http://127.0.0.1:9").provider.id]: options,
  };

  const body = await bodyOf(start, connect, { providerOptions });

  expect(body).toMatchObject(options);
  expect(body).not.toHaveProperty("vendor");
});

test("options are merged deeply, and null removes what would be sent", async () => {
  const providerOptions = {
    google: { generationConfig: { temperature: null, thinkingConfig: { thinkingBudget: 128 } } },
  };

  const body = await bodyOf(startGoogle, gemini, {
    temperature: 0.5,
    maxTokens: 9,
    providerOptions,
  });

  expect(body).toMatchObject({
    generationConfig: {
      maxOutputTokens: 9,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 128 },
    },
  });
  expect(body).not.toHaveProperty("generationConfig.temperature");
});

test("null removes a field of the request itself", async () => {
  const providerOptions = { openai: { max_output_tokens: null, truncation: "auto" } } as const;

  const body = await bodyOf(startResponses, gpt, { maxTokens: 99, providerOptions });

  expect(body).toMatchObject({ truncation: "auto" });
  expect(body).not.toHaveProperty("max_output_tokens");
});

test("a list of what to include adds to what the runtime needs", async () => {
  const include = ["web_search_call.action.sources"];

  const body = await bodyOf(startResponses, thinker, { providerOptions: { openai: { include } } });

  expect(body).toMatchObject({ include: ["reasoning.encrypted_content", ...include] });
});

test("options that were given with the model are the lowest layer", async () => {
  const body = await bodyOf(startResponses, chosen, {
    providerOptions: { openai: { user: "agent" } },
  });

  expect(body).toMatchObject({ truncation: "auto", user: "agent" });
});
