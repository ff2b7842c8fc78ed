import type { JsonValue, ProviderRequest } from "@capstan/kernel";
import { say, tinyImage } from "@capstan/testing";
import { googleEmulator, openAiChatEmulator } from "@capstan/testing/emulators";
import type { Emulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { askChat, askGoogle } from "./exchange.ts";

const schema = { type: "object", properties: {}, required: [], additionalProperties: false };
const long = "A sentence of some length, said again and again. ".repeat(200);

/** Same request to both vendors, each in its own format. */
const told = {
  messages: [
    { role: "user", content: [{ type: "text", text: "Look" }, tinyImage] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me see." },
        { type: "tool_call", id: "call_1", name: "look", input: { at: 1 } },
      ],
    },
    { role: "tool", toolCallId: "call_1", toolName: "look", content: "A dot" },
    { role: "user", content: [{ type: "text", text: "And?" }] },
  ],
  tools: [{ name: "look", description: "Looks", inputSchema: schema }],
  options: { systemPrompt: "Be brief", maxTokens: 99, temperature: 0.5 },
};

test("a function of a script sees a request to Chat Completions in the words of the contract", async () => {
  const seen: ProviderRequest[] = [];
  await using emulator = await openAiChatEmulator([
    (request) => {
      seen.push(request);
      return say("ok");
    },
  ]);

  await askChat(emulator, {
    model: "gpt-4.1",
    max_completion_tokens: 99,
    temperature: 0.5,
    tools: [
      { type: "function", function: { name: "look", description: "Looks", parameters: schema } },
    ],
    messages: [
      { role: "system", content: "Be brief" },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${tinyImage.data}` } },
        ],
      },
      {
        role: "assistant",
        content: "Let me see.",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "A dot" },
      { role: "user", content: "And?" },
    ],
  });

  expect(seen).toMatchObject([told]);
});

test("a function of a script sees a request to Gemini in the words of the contract", async () => {
  const seen: ProviderRequest[] = [];
  await using emulator = await googleEmulator([
    (request) => {
      seen.push(request);
      return say("ok");
    },
  ]);

  await askGoogle(
    emulator,
    {
      systemInstruction: { parts: [{ text: "Be brief" }] },
      generationConfig: { maxOutputTokens: 99, temperature: 0.5 },
      tools: [
        {
          functionDeclarations: [
            { name: "look", description: "Looks", parametersJsonSchema: schema },
          ],
        },
      ],
      contents: [
        {
          role: "user",
          parts: [
            { text: "Look" },
            { inlineData: { mimeType: "image/png", data: tinyImage.data } },
          ],
        },
        {
          role: "model",
          parts: [
            { text: "Let me see." },
            { functionCall: { id: "call_1", name: "look", args: { at: 1 } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "call_1", name: "look", response: { output: "A dot" } } },
            { text: "And?" },
          ],
        },
      ],
    },
    { model: "gemini-2.5-flash" },
  );

  expect(seen).toMatchObject([told]);
});

function reads(emulator: Emulator): (number | undefined)[] {
  return emulator.requests.map(({ usage }) => usage.cacheReadTokens);
}

function instructed(text: string): JsonValue {
  return { role: "system", content: text };
}

test("both know again what begins like an earlier prompt, and say so", async () => {
  const answers = [say("ok"), say("ok"), say("ok")];
  await using chat = await openAiChatEmulator(answers);
  await using google = await googleEmulator(answers);
  const grounded = { systemInstruction: { parts: [{ text: long }] } };

  await askChat(chat, {
    model: "gpt-4.1",
    messages: [instructed(long), { role: "user", content: "Hi" }],
  });
  const again = await askChat(chat, {
    model: "gpt-4.1",
    messages: [instructed(long), { role: "user", content: "Ho" }],
  });
  await askChat(chat, {
    model: "gpt-4.1",
    messages: [instructed(`9:41 ${long}`), { role: "user", content: "Hi" }],
  });
  await askGoogle(google, { ...grounded, contents: [{ parts: [{ text: "Hi" }] }] });
  const known = await askGoogle(google, { ...grounded, contents: [{ parts: [{ text: "Ho" }] }] });

  const [, read = 0] = reads(chat);
  expect(read).toBeGreaterThan(2000);
  expect(reads(chat)).toEqual([0, read, 0]);
  expect(again.json).toMatchObject({ usage: { prompt_tokens_details: { cached_tokens: read } } });
  expect(known.json).toMatchObject({
    usageMetadata: { cachedContentTokenCount: reads(google)[1] },
  });
  expect(reads(google)[1]).toBeGreaterThan(2000);
});
