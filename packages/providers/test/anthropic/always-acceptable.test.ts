import type { ProviderRequest, ProviderStreamOptions } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { anthropic } from "../../src/anthropic.ts";
import { transcripts } from "../arbitrary-transcripts.ts";
import { requestOf } from "../request-of.ts";
import { bodyFor } from "./requests.ts";
import { brokenRules } from "./strict-rules.ts";

vi.setConfig({ testTimeout: 120_000 });
/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 1000);

const claudes = [
  "claude-3-5-haiku-20241022",
  "claude-sonnet-4-5",
  "claude-opus-4-6",
  "claude-opus-5",
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-fable-5-2",
];

const options: fc.Arbitrary<ProviderStreamOptions> = fc.record(
  {
    systemPrompt: fc.constantFrom("", "Be brief."),
    maxTokens: fc.constantFrom(1, 1500, 4096, 64_000),
    temperature: fc.constantFrom(0, 1),
    thinkingLevel: fc.constantFrom("off", "minimal", "low", "medium", "high", "xhigh", "max"),
    toolChoice: fc.constantFrom("auto", "none", "required", { tool: "add" }),
    thinkingBudgets: fc.constantFrom({ high: 10 }, { high: 999_999 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ProviderStreamOptions>;

const tools = fc.constantFrom<ProviderRequest["tools"]>(
  [],
  [{ name: "add", description: "", inputSchema: { anyOf: [] } }],
);

test("whatever stands in a transcript, the request keeps the rules of the vendor", () => {
  const models = fc.constantFrom(...claudes, "some-other-model");
  fc.assert(
    fc.property(models, transcripts, options, tools, (model, messages, opts, declared) => {
      const body = bodyOrNothing(model, { messages, options: opts, tools: declared });

      expect(body === undefined ? [] : brokenRules(body)).toEqual([]);
    }),
    { numRuns },
  );
});

test("whatever stands in a transcript, an emulated Claude takes the request", async () => {
  const count = Math.ceil(numRuns / 5);
  await using claude = await anthropicEmulator(
    Array.from({ length: count }, () => say("Hi")),
    {
      trustsForeign: true,
    },
  );
  const models = fc.constantFrom(...claudes);
  const all = fc.sample(fc.tuple(models, transcripts, options, tools), count);

  for (const [model, messages, opts, declared] of all) {
    const { provider } = anthropic(model, { baseUrl: claude.url, apiKey: "test-key" });
    // The vendor has a limit of its own for each model.
    const maxTokens = Math.min(opts.maxTokens ?? 4096, 4096);
    const request = { messages, options: { ...opts, model, maxTokens }, tools: declared };
    await Array.fromAsync(provider.stream(requestOf(request))).catch(nothingToSay);
  }

  expect(claude.refusals.map(({ message }) => message)).toEqual([]);
  console.log(
    `${claude.requests.length} of ${count} requests were taken, the others had nothing to say`,
  );
});

test("a conversation without a word is not sent, and the error says why", () => {
  const messages = [{ role: "user" as const, id: "u", content: " " }];

  expect(() => bodyFor("claude-sonnet-5", { messages })).toThrow(
    "Nothing to send to anthropic: all messages are empty. Add a user message with text",
  );
});

function bodyOrNothing(model: string, request: Partial<ProviderRequest>): unknown {
  try {
    return bodyFor(model, request);
  } catch (thrown) {
    return nothingToSay(thrown);
  }
}

/** The one reason not to send a request. What the emulator refuses has a status, and is counted by the emulator. */
function nothingToSay(thrown: unknown): undefined {
  const isError = thrown instanceof ProviderError;
  const isSilent = isError && thrown.message.startsWith("Nothing to send");
  if (!isSilent && !(isError && thrown.status === 400)) throw thrown;
  return undefined;
}
