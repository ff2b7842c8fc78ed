import { ProviderError } from "@capstan/kernel";
import type { JsonValue, ModelFacts, ProviderPart } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { createProvider } from "../../src/transport/create-provider.ts";
import type { Vendor } from "../../src/wire/vendor.ts";
import { anthropicVendor } from "../../src/vendors/anthropic.ts";
import { googleVendor } from "../../src/vendors/google.ts";
import { openAiVendor } from "../../src/vendors/openai.ts";
import { anyServer } from "../chat/requests.ts";
import { requestOf } from "../request-of.ts";
import { answering, failureOf, serve, sse, streamFrom } from "./test-vendor.ts";

test.each([400, 413])("status %i without a word is an overflow of the context", async (status) => {
  const baseUrl = await serve(answering("", status));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "context_overflow", retryable: false, status });
});

test("status 413 of a proxy is an overflow of the context", async () => {
  const page = "<html><h1>413 Request Entity Too Large</h1></html>";
  const baseUrl = await serve(answering(page, 413, { "content-type": "text/html" }));

  expect(await failureOf(streamFrom(baseUrl))).toMatchObject({ code: "context_overflow" });
});

test("another status without a word is what it was", async () => {
  const baseUrl = await serve(answering("", 404));

  expect(await failureOf(streamFrom(baseUrl))).toMatchObject({ code: "invalid_request" });
});

/** Replies that end at the token limit and say nothing; the last count is of the output. */
const silent: readonly [string, Vendor, (output: number) => readonly JsonValue[]][] = [
  [
    "Chat Completions",
    anyServer,
    (output) => [
      {
        choices: [{ delta: { role: "assistant", content: "" }, finish_reason: "length" }],
        usage: { prompt_tokens: 1000, completion_tokens: output },
      },
    ],
  ],
  [
    "Messages",
    anthropicVendor,
    (output) => [
      { type: "message_start", message: { id: "m", usage: { input_tokens: 1000 } } },
      {
        type: "message_delta",
        delta: { stop_reason: "model_context_window_exceeded" },
        usage: { output_tokens: output },
      },
      { type: "message_stop" },
    ],
  ],
  [
    "Responses",
    openAiVendor,
    (output) => [
      {
        type: "response.incomplete",
        response: {
          id: "r",
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          output: [],
          usage: { input_tokens: 1000, output_tokens: output },
        },
      },
    ],
  ],
  [
    "generateContent",
    googleVendor,
    (output) => [
      {
        candidates: [{ finishReason: "MAX_TOKENS" }],
        usageMetadata: { promptTokenCount: 1000, thoughtsTokenCount: output },
      },
    ],
  ],
];

describe.each(silent)(
  "a reply of %s that ends at the limit without a word",
  (_, vendor, events) => {
    test("is an overflow if nothing was written", async () => {
      const { parts, error } = await read(vendor, events(0));

      expect(error).toMatchObject({ code: "context_overflow", retryable: false });
      expect(parts.filter(({ type }) => type === "finish")).toEqual([]);
      expect(parts.findLast((part) => part.type === "usage")?.usage.inputTokens).toBe(1000);
    });

    test("is an overflow if the window is full but for a few tokens", async () => {
      const { error } = await read(vendor, events(200), { contextWindow: 1220 });

      expect(error).toMatchObject({ code: "context_overflow" });
    });

    test.each<[string, ModelFacts]>([
      ["is larger", { contextWindow: 100_000 }],
      ["is unknown", {}],
    ])("is a reply if its limit was spent on thinking and the window %s", async (_, facts) => {
      const { parts, error } = await read(vendor, events(200), facts);

      expect(error).toBeUndefined();
      expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "length" });
    });
  },
);

test("a reply in one piece that ends at the limit without a word is an overflow", async () => {
  const choices = [{ message: { role: "assistant", content: "" }, finish_reason: "length" }];
  const body = { choices, usage: { prompt_tokens: 1000, completion_tokens: 0 } };
  const json = { "content-type": "application/json" };
  const baseUrl = await serve(answering(JSON.stringify(body), 200, json));
  const provider = createProvider(anyServer, { baseUrl, stream: false });

  const reading = Array.fromAsync(provider.stream(requestOf({ options: { model: "m" } })));

  await expect(reading).rejects.toMatchObject({ code: "context_overflow", retryable: false });
});

test.each<[string, Vendor, readonly JsonValue[]]>([
  [
    "that is told with its end",
    anyServer,
    [{ choices: [{ delta: { content: "So" }, finish_reason: "length" }] }],
  ],
  [
    "that comes together with its end",
    anthropicVendor,
    [
      { type: "message_start", message: { id: "m", usage: { input_tokens: 1000 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "So" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "max_tokens" } },
      { type: "message_stop" },
    ],
  ],
])("a text %s, at the limit, is a reply", async (_, vendor, events) => {
  const { parts, error } = await read(vendor, events);

  expect(error).toBeUndefined();
  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "length" });
});

test("a reply without a word that does not end at the limit is an empty one", async () => {
  const stopped = { choices: [{ delta: { content: "" }, finish_reason: "stop" }] };

  const { parts, error } = await read(anyServer, [stopped]);

  expect(error).toBeUndefined();
  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
});

async function read(
  vendor: Vendor,
  events: readonly JsonValue[],
  modelFacts: ModelFacts = {},
): Promise<{ readonly parts: readonly ProviderPart[]; readonly error: unknown }> {
  const baseUrl = await serve(answering(sse(...events)));
  const provider = createProvider(vendor, { baseUrl, apiKey: "key" });
  const request = requestOf({ options: { model: "m", modelFacts } });
  const parts: ProviderPart[] = [];
  try {
    for await (const part of provider.stream(request)) parts.push(part);
    return { parts, error: undefined };
  } catch (error) {
    if (error instanceof ProviderError) return { parts, error };
    throw error;
  }
}
