import { ProviderError } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { googleEmulator } from "@capstan/testing/emulators";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { google } from "../../src/google.ts";
import { transcripts } from "../arbitrary-transcripts.ts";
import { requestOf } from "../request-of.ts";

vi.setConfig({ testTimeout: 120_000 });
/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Math.ceil(Number(process.env["PROPERTY_RUNS"] ?? 1_000) / 10);

test.each(["gemini-2.5-flash", "gemini-3.5-flash"])(
  "whatever stands in a transcript, an emulated %s takes the request",
  async (model) => {
    await using service = await googleEmulator(
      Array.from({ length: numRuns }, () => say("Hi")),
      { trustsForeign: true },
    );
    const { provider } = google(model, { baseUrl: `${service.url}/v1beta`, apiKey: "test-key" });

    for (const messages of fc.sample(transcripts, numRuns)) {
      const request = requestOf({ messages, options: { model } });
      await Array.fromAsync(provider.stream(request)).catch(refusedOnly);
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
