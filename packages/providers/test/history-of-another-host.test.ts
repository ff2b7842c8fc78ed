import type { AssistantMessage, ChatMessage } from "@capstan/kernel";
import { callTool, echoTool, reply, say, think } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import {
  anthropicEmulator,
  googleEmulator,
  openAiChatEmulator,
  openAiResponsesEmulator,
} from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { complete } from "../src/complete.ts";
import { google } from "../src/google.ts";
import { openai } from "../src/openai.ts";
import type { VendorFunction } from "../src/vendors/vendor-function.ts";
import { vendors } from "../src/vendors.ts";

const question: ChatMessage = { role: "user", id: "u1", content: "Echo hello" };

type Emulate = (script: Parameters<typeof openAiResponsesEmulator>[0]) => Promise<Emulator>;

const ollamaEmulator: Emulate = (script) => openAiChatEmulator(script, { dialect: "ollama" });

function versioned(vendor: VendorFunction): VendorFunction {
  return (model, options) =>
    vendor(model, { ...options, baseUrl: `${options?.baseUrl ?? ""}/v1beta` });
}

const script = [reply(think("An echo."), callTool("echo", { text: "hello" })), say("Done.")];

async function ask(
  vendor: VendorFunction,
  model: string,
  { url: baseUrl }: Emulator,
  messages: readonly ChatMessage[],
): Promise<AssistantMessage> {
  const { provider } = vendor(model, { baseUrl, apiKey: "key-of-a-test" });
  const { messages: replies } = await complete(provider, {
    messages,
    tools: [echoTool()],
    options: { model, thinkingLevel: "high" },
  });
  return replies[0]!;
}

function answered(asked: AssistantMessage): readonly ChatMessage[] {
  const toolCallId = asked.content.find((part) => part.type === "tool_call")!.id;
  return [
    question,
    asked,
    {
      role: "tool",
      id: toolCallId,
      toolCallId,
      toolName: "echo",
      content: "hello",
      isError: false,
    },
  ];
}

describe.each<[string, Emulate, VendorFunction, string]>([
  ["Responses", openAiResponsesEmulator, openai, "gpt-5.5"],
  ["Messages", anthropicEmulator, anthropic, "claude-opus-5"],
  ["generateContent", googleEmulator, versioned(google), "gemini-3-pro"],
  ["Chat Completions", ollamaEmulator, vendors["ollama"]!, "qwen3"],
])("a conversation of a server that speaks %s", (_, emulate, vendor, model) => {
  test("goes on at another host without what only the first can read", async () => {
    await using one = await emulate(script);
    await using other = await emulate(script);
    const asked = await ask(vendor, model, one, [question]);

    await ask(vendor, model, other, answered(asked));

    expect(asked.origin?.host).toBe(new URL(one.url).host);
    expect(other.refusals).toEqual([]);
    expect(JSON.stringify(other.requests.at(-1)?.body)).not.toMatch(
      /"rs_|"encrypted_content":|An echo/,
    );
  });

  test("goes on at its host with all of it, as does one whose host was not recorded", async () => {
    await using one = await emulate([...script, say("Done.")]);
    const asked = await ask(vendor, model, one, [question]);
    const { host: _host, ...origin } = asked.origin!;

    await ask(vendor, model, one, answered(asked));
    await ask(vendor, model, one, answered({ ...asked, origin }));

    const [, own, unrecorded] = one.requests.map(({ body }) => JSON.stringify(body));
    expect(one.refusals).toEqual([]);
    expect(unrecorded).toBe(own);
  });
});
