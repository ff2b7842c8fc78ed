import type { ChatMessage, ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { say } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { AiSdkModel } from "../../src/ai-sdk.ts";
import { fromAiSdk } from "../../src/ai-sdk.ts";
import { transcripts } from "../arbitrary-transcripts.ts";
import { refusalsOf } from "../emulated-turns.ts";
import { claude, gpt } from "./emulated-models.ts";
import { requestOf, tool } from "./models.ts";

vi.setConfig({ testTimeout: 120_000 });
/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);

/** Thinks as it likes, so that a reply without thinking can be gone on with. */
const claudes = ["claude-opus-4-6", "claude-opus-5", "claude-haiku-5-5", "claude-opus-5-5"];

const requests = fc.record({
  messages: transcripts,
  tools: fc.constantFrom<ProviderRequest["tools"]>([], [tool]),
  thinkingLevel: fc.constantFrom("off", "low", "high", "max"),
  isOwn: fc.boolean(),
});

test.each([
  ["Anthropic", claude, claudes],
  ["OpenAI", gpt, ["gpt-4.1", "gpt-5.5"]],
])("whatever stands in a transcript, %s takes the request", async (_, vendor, ids) => {
  const replies = Array.from({ length: numRuns }, () => say("Hi"));
  await using emulator = await vendor.start(replies, { trustsForeign: true });
  const samples = fc.sample(fc.tuple(fc.constantFrom(...ids), requests), numRuns);

  for (const [id, { messages, tools, thinkingLevel, isOwn }] of samples) {
    const model = vendor.model(emulator, id);
    const request = requestOf({
      messages: isOwn ? messages.map((message) => asOwn(message, model)) : messages,
      tools,
      options: { thinkingLevel, maxTokens: 4096, providerOptions: { openai: { store: false } } },
    });
    await Array.fromAsync(fromAiSdk(model).provider.stream(request)).catch(isExpected);
  }

  expect(refusalsOf(emulator)).toEqual([]);
  console.log(`${emulator.requests.length} of ${numRuns} requests were sent, and taken`);
});

/** Copies the reply with this model as its origin. */
function asOwn(message: ChatMessage, { provider, modelId }: AiSdkModel): ChatMessage {
  if (message.role !== "assistant") return message;
  return { ...message, origin: { provider, api: "ai-sdk", model: modelId } };
}

/** There was nothing to send, or a document that the model's package does not take. What the emulator refuses it counts itself. */
function isExpected(thrown: unknown): void {
  const isError = thrown instanceof ProviderError;
  const isSilent = isError && thrown.message.startsWith("Nothing to send");
  const isKnown = isError && (isSilent || thrown.rejected !== undefined || thrown.status === 400);
  if (!isKnown) throw thrown;
}
