import { ProviderError } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { openai } from "../../src/openai.ts";
import { transcripts } from "../arbitrary-transcripts.ts";
import { requestOf } from "../request-of.ts";

vi.setConfig({ testTimeout: 120_000 });
/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Math.ceil(Number(process.env["PROPERTY_RUNS"] ?? 1_000) / 5);

const models = fc.constantFrom("gpt-4.1", "gpt-5.5", "o4-mini", "gpt-6-sol");

test("whatever stands in a transcript, an emulated service takes the request", async () => {
  await using service = await openAiResponsesEmulator(
    Array.from({ length: numRuns }, () => say("Hi")),
    { trustsForeign: true },
  );
  const all = fc.sample(fc.tuple(models, transcripts), numRuns);

  for (const [model, messages] of all) {
    const { provider } = openai(model, { baseUrl: service.url, apiKey: "test-key" });
    const request = requestOf({ messages, options: { model } });
    await Array.fromAsync(provider.stream(request)).catch(refusedOnly);
  }

  expect(service.refusals.map(({ message }) => message)).toEqual([]);
  console.log(
    `${service.requests.length} of ${numRuns} requests were taken, the others had nothing to say`,
  );
});

/** What the emulator refuses has a status, and is counted by the emulator; the rest has nothing to say. */
function refusedOnly(thrown: unknown): void {
  const isRefused = thrown instanceof ProviderError && thrown.code === "invalid_request";
  if (!isRefused) throw thrown;
}
