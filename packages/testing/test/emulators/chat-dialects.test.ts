import { say } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import type { ChatDialectName } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { call, calling, expectDialectRefusal, result, to, user } from "./chat-request.ts";
import type { DialectRow } from "./chat-request.ts";
import { askChat } from "./exchange.ts";

const others: readonly DialectRow[] = [
  [
    "a field",
    "groq",
    { ...to("llama"), thinking: {} },
    400,
    { error: { message: "property 'thinking' is unsupported" } },
    { ...to("llama"), reasoning_format: "parsed" },
  ],
  [
    "a field of a message",
    "groq",
    to("llama", user, { role: "assistant", content: "Yes", reasoning_content: "Hm" }, user),
    400,
    {
      error: {
        message:
          "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
        type: "invalid_request_error",
      },
    },
    to("llama", user, { role: "assistant", content: "Yes", reasoning: "Hm" }, user),
  ],
  [
    "a call without a type",
    "groq",
    to(
      "llama",
      user,
      calling([{ id: "a", function: { name: "echo", arguments: "" } }]),
      result("a"),
    ),
    400,
    {
      error: {
        message:
          "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1.tool_calls.0.type' : property 'type' is missing)]",
      },
    },
    to("llama", user, calling([call("a")]), result("a")),
  ],
  [
    "more than one answer",
    "groq",
    { ...to("llama"), n: 2 },
    400,
    { error: { message: "number must be at most 1" } },
    { ...to("llama"), n: 1 },
  ],
  [
    "a model without its maker",
    "openrouter",
    to("claude"),
    400,
    { error: { message: "claude is not a valid model ID", code: 400 } },
    to("anthropic/claude"),
  ],
  [
    "thinking that it did not sign",
    "openrouter",
    to("anthropic/claude", user, {
      role: "assistant",
      content: "Yes",
      reasoning_details: [{ type: "reasoning.text", signature: "x" }],
    }),
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: expect.stringContaining("Invalid `signature` in `thinking` block") as string,
        },
      },
    },
    to("anthropic/claude", user, {
      role: "assistant",
      content: "Yes",
      reasoning_details: [{ type: "reasoning.summary" }],
    }),
  ],
  [
    "no messages",
    "ollama",
    { model: "qwen3", messages: [] },
    400,
    { error: { message: "[] is too short - 'messages'" } },
    { ...to("qwen3"), whatever: 1 },
  ],
];

describe("Groq, OpenRouter and Ollama refuse", () => {
  test.each(others)("%s (%s)", async (...row) => {
    await expectDialectRefusal(row);
  });
});

test.each<readonly [ChatDialectName, string, number, object, number, object]>([
  [
    "openai",
    "gpt-4.1",
    401,
    { error: { code: "invalid_api_key" } },
    400,
    { error: { code: "context_length_exceeded", param: "messages" } },
  ],
  ["mistral", "mistral-small-latest", 401, { detail: "Unauthorized" }, 400, { code: "3051" }],
  [
    "deepseek",
    "deepseek-v4-pro",
    401,
    { error: { type: "authentication_error" } },
    400,
    { error: { code: "invalid_request_error" } },
  ],
  [
    "openrouter",
    "a/b",
    401,
    { error: { message: "User not found." } },
    400,
    { error: { code: 400 } },
  ],
  [
    "groq",
    "llama",
    401,
    { error: { message: "Invalid API Key" } },
    400,
    { error: { code: "context_length_exceeded" } },
  ],
  [
    "ollama",
    "qwen3",
    401,
    { error: { message: "unauthorized" } },
    200,
    { object: "chat.completion" },
  ],
])(
  "%s has its own words for a wrong key and for too long a prompt",
  async (dialect, model, keyStatus, keyBody, longStatus, longBody) => {
    const options = { dialect, apiKey: "key", contextWindow: 10 };
    await using emulator = await openAiChatEmulator([say("ok")], options);

    const wrong = await askChat(emulator, to(model), { authorization: "Bearer other" });
    const long = await askChat(emulator, to(model, { role: "user", content: "Hi ".repeat(99) }));

    expect([wrong.status, wrong.json]).toMatchObject([keyStatus, keyBody]);
    expect([long.status, long.json]).toMatchObject([longStatus, longBody]);
  },
);

test("only Ollama asks for no key", async () => {
  await using ollama = await openAiChatEmulator([say("ok")], { dialect: "ollama" });
  await using groq = await openAiChatEmulator([say("ok")], { dialect: "groq" });

  const open = await askChat(ollama, to("qwen3"), { authorization: "" });
  const closed = await askChat(groq, to("llama"), { authorization: "" });

  expect([open.status, closed.status]).toEqual([200, 401]);
});
