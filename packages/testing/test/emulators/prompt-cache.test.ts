import type { JsonValue } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import type { Emulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { plain } from "./anthropic-request.ts";
import { askClaude, askOpenAi } from "./exchange.ts";

const answers = Array.from({ length: 4 }, () => say("ok"));
const long = "A sentence of some length, said again and again. ".repeat(200);
const marker = { type: "ephemeral" };

function uses(emulator: Emulator) {
  return emulator.requests.map(({ usage }) => [usage.cacheReadTokens, usage.cacheWriteTokens]);
}

function marked(text: string, cache_control: JsonValue = marker): JsonValue {
  return { type: "text", text, cache_control };
}

test("what a marker closes is written once, and read from then on", async () => {
  await using emulator = await anthropicEmulator(answers);
  const body = { ...plain, system: [marked(long)] };

  const first = await askClaude(emulator, body);
  const second = await askClaude(emulator, {
    ...body,
    messages: [{ role: "user", content: "Ho" }],
  });

  const [[, written], [read, rest]] = uses(emulator) as [[number, number], [number, number]];
  expect(written).toBeGreaterThan(2000);
  expect([read, rest]).toEqual([written, 0]);
  expect(first.json["usage"]).toMatchObject({
    cache_creation_input_tokens: written,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
  });
  expect(second.json["usage"]).toMatchObject({
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: written,
  });
});

test("a conversation that only grows reads all that it wrote before", async () => {
  await using emulator = await anthropicEmulator(answers);
  const grown = { ...plain, cache_control: marker, messages: [{ role: "user", content: long }] };

  await askClaude(emulator, grown);
  await askClaude(emulator, {
    ...grown,
    messages: [
      ...grown.messages,
      { role: "assistant", content: "Yes." },
      { role: "user", content: long },
    ],
  });

  const [[, first], [read, second]] = uses(emulator) as [[number, number], [number, number]];
  expect(read).toBe(first);
  expect(second).toBeGreaterThan(2000);
});

test("a change before the marker, or of the thinking, reads nothing", async () => {
  await using emulator = await anthropicEmulator(answers);
  const body = { ...plain, system: [marked(long)] };

  await askClaude(emulator, body);
  await askClaude(emulator, { ...body, system: [marked(`Now: 9:41. ${long}`)] });
  await askClaude(emulator, { ...body, thinking: { type: "enabled", budget_tokens: 1024 } });

  expect(uses(emulator).map(([read]) => read)).toEqual([0, 0, 0]);
});

test("a prompt that is too short, or has no marker, is not kept", async () => {
  await using emulator = await anthropicEmulator(answers);

  await askClaude(emulator, { ...plain, system: [marked("Be brief.")] });
  await askClaude(emulator, { ...plain, system: long });
  await askClaude(emulator, { ...plain, system: long });

  expect(uses(emulator)).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});

test("what is kept for an hour is counted apart", async () => {
  await using emulator = await anthropicEmulator(answers);
  const hour = { type: "ephemeral", ttl: "1h" };

  const { json } = await askClaude(emulator, {
    ...plain,
    system: [marked(long, hour)],
    messages: [{ role: "user", content: [marked(long)] }],
  });

  expect(json["usage"]).toMatchObject({
    cache_creation: {
      ephemeral_1h_input_tokens: expect.any(Number) as number,
      ephemeral_5m_input_tokens: expect.any(Number) as number,
    },
  });
  expect(JSON.stringify(json["usage"])).not.toMatch(/ephemeral_.._input_tokens":0/);
});

test("OpenAI knows again what begins like an earlier prompt, in whole pieces", async () => {
  await using emulator = await openAiResponsesEmulator(answers);
  const body = { model: "gpt-5.5", instructions: long };

  await askOpenAi(emulator, { ...body, input: "Hi" });
  const second = await askOpenAi(emulator, { ...body, input: "Ho" });
  await askOpenAi(emulator, { ...body, instructions: `Now: 9:41. ${long}`, input: "Hi" });
  await askOpenAi(emulator, { ...body, input: "Hi", prompt_cache_key: "other" });

  const [, [read = 0] = [], ...rest] = uses(emulator);
  expect(read).toBeGreaterThan(2000);
  expect(read % 128).toBe(0);
  expect(rest.map(([cached]) => cached)).toEqual([0, 0]);
  expect(second.json["usage"]).toMatchObject({ input_tokens_details: { cached_tokens: read } });
});

test("newer models of OpenAI say what they wrote to the cache", async () => {
  await using emulator = await openAiResponsesEmulator(answers);
  const body = { model: "gpt-5.6-sol", instructions: long, input: "Hi" };

  const { json } = await askOpenAi(emulator, body);

  const [[read, written] = []] = uses(emulator);
  expect(read).toBe(0);
  expect(written).toBeGreaterThan(2000);
  expect(json["usage"]).toMatchObject({
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: written },
  });
});
