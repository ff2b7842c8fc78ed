import { ProviderError } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { vendors } from "../../src/vendors.ts";
import { transcripts } from "../arbitrary-transcripts.ts";
import { requestOf } from "../request-of.ts";

vi.setConfig({ testTimeout: 120_000 });
/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Math.ceil(Number(process.env["PROPERTY_RUNS"] ?? 1_000) / 10);

test.each([
  ["mistral", "mistral-large-4"],
  ["deepseek", "deepseek-flash"],
  ["openrouter", "qwen/qwen3"],
  ["groq", "qwen/qwen3.8-27b"],
  ["ollama", "qwen3"],
] as const)(
  "whatever stands in a transcript, an emulated %s takes the request",
  async (dialect, model) => {
    await using service = await openAiChatEmulator(
      Array.from({ length: numRuns }, () => say("Hi")),
      { dialect, trustsForeign: true },
    );
    const { provider } =
      vendors[dialect]?.(model, { baseUrl: service.url, apiKey: "test-key" }) ?? {};

    for (const messages of fc.sample(transcripts, numRuns)) {
      const options = {
        model,
        modelFacts: dialect === "deepseek" ? { input: ["text" as const] } : {},
      };
      await Array.fromAsync(provider!.stream(requestOf({ messages, options }))).catch(refusedOnly);
    }

    expect(service.refusals.map(({ message }) => message)).toEqual([]);
    console.log(
      `${service.requests.length} of ${numRuns} requests were taken, the others had nothing to say`,
    );
  },
);

/** What the emulator refuses is counted by it; the rest has nothing to say. */
function refusedOnly(thrown: unknown): void {
  const isRefused = thrown instanceof ProviderError && thrown.code === "invalid_request";
  if (!isRefused) throw thrown;
}
