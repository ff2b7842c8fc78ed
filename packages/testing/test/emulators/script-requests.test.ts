import type { ProviderRequest } from "@capstan/kernel";
import { say, tinyImage } from "@capstan/testing";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import type { Fragment } from "@capstan/testing";
import type { EmulatedRequest } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { askClaude, askOpenAi } from "./exchange.ts";

const schema = { type: "object", properties: {}, required: [], additionalProperties: false };

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
  options: { systemPrompt: "Be brief" },
};

test("a function of a script sees a request to Claude in the words of the contract", async () => {
  const seen: ProviderRequest[] = [];
  const look = (request: ProviderRequest) => {
    seen.push(request);
    return say("ok");
  };
  await using emulator = await anthropicEmulator([look]);

  await askClaude(emulator, {
    model: "claude-haiku-4-5",
    max_tokens: 9,
    system: "Be brief",
    tools: [{ name: "look", description: "Looks", input_schema: schema }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          {
            type: "image",
            source: { type: "base64", media_type: "image/png", data: tinyImage.data },
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see." },
          { type: "tool_use", id: "call_1", name: "look", input: { at: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "A dot" },
          { type: "text", text: "And?" },
        ],
      },
    ],
  });

  expect(seen).toMatchObject([told]);
  expect(seen).toMatchObject([{ options: { model: "claude-haiku-4-5", maxTokens: 9 }, step: 1 }]);
});

test("a function of a script sees a request to OpenAI in the words of the contract", async () => {
  const seen: ProviderRequest[] = [];
  await using emulator = await openAiResponsesEmulator([
    (request) => {
      seen.push(request);
      return say("ok");
    },
  ]);

  await askOpenAi(emulator, {
    model: "gpt-4.1",
    max_output_tokens: 99,
    instructions: "Be brief",
    tools: [
      { type: "function", name: "look", description: "Looks", parameters: schema, strict: true },
    ],
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: `data:image/png;base64,${tinyImage.data}` },
        ],
      },
      { role: "assistant", content: "Let me see." },
      { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at":1}' },
      { type: "function_call_output", call_id: "call_1", output: "A dot" },
      { role: "user", content: "And?" },
    ],
  });

  expect(seen).toMatchObject([told]);
  expect(seen).toMatchObject([{ options: { model: "gpt-4.1", maxTokens: 99 }, step: 1 }]);
});

function echo({ wire }: EmulatedRequest): Fragment {
  return say(`${wire.headers["x-trace"]}: ${JSON.stringify(wire.body)}`);
}

test("it also sees the wire, as does the test afterwards", async () => {
  await using emulator = await openAiResponsesEmulator([echo]);
  const body = { model: "gpt-4.1", input: "Hi" };

  const { json } = await askOpenAi(emulator, body, { "x-trace": "7" });

  expect(json).toMatchObject({ output: [{ content: [{ text: `7: ${JSON.stringify(body)}` }] }] });
  expect(emulator.requests).toMatchObject([{ body, headers: { "x-trace": "7" } }]);
});
