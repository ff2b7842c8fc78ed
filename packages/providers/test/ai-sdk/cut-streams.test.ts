import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import type { AiSdkModel } from "../../src/ai-sdk.ts";
import type { FixtureReply } from "../fixtures-harness/fixtures.ts";
import { fixtureCases, fixturesNote } from "../fixtures-harness/fixtures.ts";
import { replayFetch } from "../fixtures-harness/replay.ts";
import { finish, iterate, modelThatSends, partsOf, requestOf, text, tool } from "./models.ts";

const call = { type: "tool-call", toolCallId: "c1", toolName: "echo", input: "" };

test.each([finish("other"), { type: "finish", finishReason: "unknown", usage: {} }])(
  "a stream with calls whose model never said why it stopped was cut: %j",
  async (end) => {
    const reading = partsOf(modelThatSends([call, end]), { tools: [tool] });

    await expect(reading).rejects.toMatchObject({ code: "network", retryable: true });
  },
);

test("a text whose model never said why it stopped is an answer", async () => {
  const parts = await partsOf(modelThatSends([...text("Hi"), finish("other")]));

  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "other" });
});

/** The packages that the project has, and the vendors whose streams they read. */
const packages: readonly [string, string, (fetch: typeof globalThis.fetch) => AiSdkModel][] = [
  [
    "anthropic-messages",
    "anthropic",
    (fetch) => createAnthropic({ apiKey: "key", fetch })("claude-sonnet-4-5"),
  ],
  ["openai-chat", "openai", (fetch) => createOpenAI({ apiKey: "key", fetch }).chat("gpt-4.1")],
  ["openai-responses", "openai", (fetch) => createOpenAI({ apiKey: "key", fetch })("gpt-5.5")],
];

const recorded = packages.flatMap(([api, provider, create]) =>
  fixtureCases(api)
    .filter(({ meta }) => meta.provider === provider)
    .flatMap(({ replies }) => replies)
    .filter(({ isStream, body, expect: facts }) => isStream && facts.ok && body.length < 20_000)
    .map((reply) => [reply.name, reply, create] as const),
);

describe.runIf(recorded.length > 0)(`recorded streams, cut after any event${fixturesNote}`, () => {
  test.each(recorded)("%s: no call is finished that is not in it", async (_, reply, create) => {
    const whole = await callsOf(create(replayFetch(reply, [reply.body])));

    const cuts = await Promise.all(
      bordersOf(reply).map((border) =>
        callsOf(create(replayFetch(reply, [reply.body.subarray(0, border)]))),
      ),
    );

    const strange = cuts.flat().filter((one) => !whole.includes(one));
    expect(strange).toEqual([]);
  });
});

/** The calls of a reply that ended; none of one that failed. */
async function callsOf(model: AiSdkModel): Promise<readonly string[]> {
  const parts: ProviderPart[] = [];
  try {
    for await (const part of iterate(model, requestOf())) parts.push(part);
  } catch (thrown) {
    if (thrown instanceof ProviderError) return [];
    throw thrown;
  }
  return parts
    .filter((part) => part.type === "toolcall_end")
    .map(({ input, providerData }) => JSON.stringify([input, providerData]));
}

/** After every empty line but the last. */
function bordersOf({ body }: FixtureReply): readonly number[] {
  const text = new TextDecoder("latin1").decode(body);
  const borders = [...text.matchAll(/\r?\n\r?\n/g)].map(({ index, 0: end }) => index + end.length);
  return borders.slice(0, -1);
}
