import { expect, test } from "vitest";
import { contentOf, finish, modelThatSends, origin, partsOf, text } from "./models.ts";

const signature = { vendor: { signature: "s" } };
const kept = { providerOptions: signature };

test("a text comes in its deltas, and says whose it is", async () => {
  const parts = await partsOf(modelThatSends([...text("In ", "Rome."), finish()]));

  expect(parts).toEqual([
    { type: "start", origin },
    { type: "text_start" },
    { type: "text_delta", delta: "In " },
    { type: "text_delta", delta: "Rome." },
    { type: "text_end" },
    { type: "finish", reason: "stop", metadata: {} },
  ]);
});

const start = { type: "reasoning-start", id: "r" };
const delta = { type: "reasoning-delta", id: "r", delta: "Hm" };
const end = { type: "reasoning-end", id: "r" };
const said = { providerMetadata: signature };

test.each([
  ["at the start", [{ ...start, ...said }, delta, end]],
  ["with a delta", [start, { ...delta, ...said }, end]],
  ["with an empty delta", [start, delta, { ...delta, delta: "", ...said }, end]],
  ["at the end", [start, delta, { ...end, ...said }]],
])("what reasoning has to keep and says %s is kept at its end", async (_, sent) => {
  const content = await contentOf(sent);

  expect(content).toEqual([
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "Hm" },
    { type: "thinking_end", providerData: kept },
  ]);
});

test("what a part says last of what it has to keep counts", async () => {
  const content = await contentOf([
    { type: "reasoning-start", id: "r", providerMetadata: { vendor: { id: 1, sealed: null } } },
    { type: "reasoning-delta", id: "r", delta: "Hm", providerMetadata: { vendor: { id: 1 } } },
    { type: "reasoning-end", id: "r", providerMetadata: { vendor: { id: 1, sealed: "x" } } },
  ]);

  expect(content.at(-1)).toEqual({
    type: "thinking_end",
    providerData: { providerOptions: { vendor: { id: 1, sealed: "x" } } },
  });
});

test("the sources of a text stay with it", async () => {
  const source = { type: "source", sourceType: "url", id: "1", url: "https://a.example" } as const;

  const content = await contentOf([
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "So they say." },
    { type: "text-end", id: "t", citations: [{ source, startIndex: 0, endIndex: 12 }] },
  ]);

  expect(content.at(-1)).toEqual({
    type: "text_end",
    providerData: { citations: [{ source, startIndex: 0, endIndex: 12 }] },
  });
});

test("a text that is left open while a tool is called ends there, once", async () => {
  const content = await contentOf([
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Looking." },
    { type: "tool-call", toolCallId: "c", toolName: "echo", input: "{}" },
    { type: "text-end", id: "t" },
  ]);

  expect(content.map(({ type }) => type)).toEqual([
    "text_start",
    "text_delta",
    "text_end",
    "toolcall_start",
    "toolcall_end",
  ]);
});

test("blocks that overlap become parts that do not, and nothing of them is lost", async () => {
  const content = await contentOf([
    { type: "reasoning-start", id: "1" },
    { type: "reasoning-delta", id: "1", delta: "Hm" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "So" },
    { type: "reasoning-delta", id: "1", delta: "Ah" },
    { type: "text-delta", id: "1", delta: " be it." },
    { type: "reasoning-end", id: "1", providerMetadata: signature },
    { type: "text-end", id: "1" },
  ]);

  expect(content).toEqual([
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "Hm" },
    { type: "thinking_end" },
    { type: "text_start" },
    { type: "text_delta", delta: "So" },
    { type: "text_end" },
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "Ah" },
    { type: "thinking_end" },
    { type: "text_start" },
    { type: "text_delta", delta: " be it." },
    { type: "text_end" },
    { type: "thinking_start" },
    { type: "thinking_end", providerData: kept },
  ]);
});

test("a delta that nothing began begins a text", async () => {
  const content = await contentOf([{ type: "text-delta", id: "t", delta: "Hello" }]);

  expect(content).toEqual([
    { type: "text_start" },
    { type: "text_delta", delta: "Hello" },
    { type: "text_end" },
  ]);
});

test("pings and parts that nobody knows yet are signs of life", async () => {
  const content = await contentOf([{ type: "ping" }, { type: "from-the-future", value: 1 }]);

  expect(content).toEqual([{ type: "ping" }, { type: "ping" }]);
});

test.each([
  ["stop", undefined, "stop"],
  ["length", "max_tokens", "length"],
  ["content-filter", "refusal", "content-filter"],
  ["tool-calls", "tool_use", "tool-calls"],
  ["stop", "pause_turn", "pause"],
  ["other", "compaction", "pause"],
  ["other", "recitation", "recitation"],
  ["other", undefined, "other"],
  ["other", "error", "other"],
] as const)("the finish reason %s (%s) is %s here", async (unified, raw, reason) => {
  const end = finish(unified, { finishReason: { unified, raw } });

  const parts = await partsOf(modelThatSends([...text("Hi"), end]));

  expect(parts.at(-1)).toMatchObject({ type: "finish", reason });
});

test("counts are told as far as they are known", async () => {
  const usage = {
    inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
    outputTokens: { total: 7, text: 4, reasoning: 3 },
  };
  const partly = {
    inputTokens: { total: 5, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: Number.NaN, text: undefined, reasoning: undefined },
  };

  const [whole] = (await partsOf(modelThatSends([finish("stop", { usage })]))).slice(-1);
  const [some] = (await partsOf(modelThatSends([finish("stop", { usage: partly })]))).slice(-1);
  const [none] = (await partsOf(modelThatSends([finish()]))).slice(-1);

  expect(whole).toHaveProperty("usage", {
    inputTokens: 100,
    outputTokens: 7,
    cacheReadTokens: 60,
    cacheWriteTokens: 10,
    reasoningTokens: 3,
  });
  expect(some).toHaveProperty("usage", { inputTokens: 5 });
  expect(none).not.toHaveProperty("usage");
});

test("what a model says of its reply is with the reply", async () => {
  const warning = { type: "unsupported", feature: "seed" } as const;
  const timestamp = new Date(0);
  const parts = await partsOf(
    modelThatSends([
      { type: "stream-start", warnings: [warning] },
      { type: "response-metadata", id: "r-1", modelId: "m-1-large", timestamp },
      ...text("Hi"),
      finish("stop", {
        finishReason: { unified: "stop", raw: "end_turn" },
        providerMetadata: { vendor: { tier: "fast" } },
      }),
    ]),
  );

  const described = {
    warnings: [warning],
    id: "r-1",
    modelId: "m-1-large",
    timestamp: "1970-01-01T00:00:00.000Z",
  };
  expect(parts[1]).toEqual({ type: "start", metadata: described });
  expect(parts.at(-1)).toHaveProperty("metadata", {
    ...described,
    finishReason: "end_turn",
    providerMetadata: { vendor: { tier: "fast" } },
  });
});
