import type { LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { fromAiSdk } from "../../src/ai-sdk.ts";
import { noUsage, requestOf } from "./models.ts";

function partsOf(doGenerate: Partial<LanguageModelV4GenerateResult>) {
  const result: LanguageModelV4GenerateResult = {
    content: [],
    finishReason: { unified: "stop", raw: undefined },
    usage: noUsage,
    warnings: [],
    ...doGenerate,
  };
  const model = new MockLanguageModelV4({ doGenerate: result });
  return Array.fromAsync(fromAiSdk(model, { stream: false }).provider.stream(requestOf()));
}

test("a reply that comes whole has the parts of one that is streamed", async () => {
  const providerMetadata = { vendor: { signature: "s" } };

  const parts = await partsOf({
    content: [
      { type: "reasoning", text: "Hm", providerMetadata },
      { type: "text", text: "Looking." },
      { type: "tool-call", toolCallId: "c", toolName: "echo", input: '{"a":1}' },
    ],
    finishReason: { unified: "tool-calls", raw: "tool_use" },
    response: { id: "r-1", modelId: "m-1", headers: { secret: "1" }, body: {} },
  });

  const metadata = { id: "r-1", modelId: "m-1" };
  expect(parts.slice(1)).toEqual([
    { type: "start", metadata },
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "Hm" },
    { type: "thinking_end", providerData: { providerOptions: providerMetadata } },
    { type: "text_start" },
    { type: "text_delta", delta: "Looking." },
    { type: "text_end" },
    { type: "toolcall_start", index: 0, name: "echo", providerData: { id: "c" } },
    { type: "toolcall_end", index: 0, input: { a: 1 }, providerData: { id: "c" } },
    { type: "finish", reason: "tool-calls", metadata: { ...metadata, finishReason: "tool_use" } },
  ]);
});

test("a reply without content is an error that says so", async () => {
  const model = new MockLanguageModelV4({
    doGenerate: {} as unknown as LanguageModelV4GenerateResult,
  });
  const { provider } = fromAiSdk(model, { stream: false });

  await expect(Array.fromAsync(provider.stream(requestOf()))).rejects.toMatchObject({
    code: "protocol",
  });
});
