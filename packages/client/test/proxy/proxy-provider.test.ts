/** A provider over HTTP is the provider that the server has. */
import { ProviderError } from "@capstan/kernel";
import type { JsonValue, ProviderErrorCode, ProviderPart } from "@capstan/kernel";
import {
  callTool,
  cutOff,
  failAfter,
  failBefore,
  finish,
  native,
  parts,
  ping,
  refuse,
  reply,
  say,
  scriptedProvider,
  stall,
  think,
  usage,
} from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { behindProxy, failureOf, partsOf, requestOf } from "./proxied.ts";

const everything = reply(
  think(["Hm", "…"], { signature: { sealed: "ab\n\ncd\u2028" } }),
  say(["One ", "two\r\n\n", "три 🙂"]),
  refuse("No"),
  ping(),
  native({ any: ["thing", null, 1.5] }),
  callTool("echo", { a: [1, { b: "\u0000" }] }, { argumentDeltas: 3, id: "call_1" }),
  usage({ inputTokens: 10, cacheReadTokens: 4 }),
  finish("tool-calls", { usage: { outputTokens: 5 }, metadata: { id: "m" } }),
);

test("every part arrives as it was sent", async () => {
  const origin = { provider: "vendor", api: "chat", model: "m", host: "vendor.test" };
  const options = { origin, usage: { inputTokens: 1 } };
  const { proxied } = await behindProxy(scriptedProvider([everything], options));

  const direct = await partsOf(scriptedProvider([everything], options));

  expect(await partsOf(proxied)).toEqual(direct);
  expect(direct.length).toBeGreaterThan(12);
});

test("any JSON in any part arrives as it was sent", async () => {
  const data = fc.jsonValue() as fc.Arbitrary<JsonValue>;
  const part: fc.Arbitrary<ProviderPart> = fc.oneof(
    fc.string({ unit: "binary" }).map((delta) => ({ type: "text_delta" as const, delta })),
    data.map((each) => ({ type: "native" as const, data: each })),
    data.map((providerData) => ({ type: "thinking_end" as const, providerData })),
  );
  const lists = fc.sample(fc.array(part, { maxLength: 30 }), { numRuns: 40, seed: 1 });
  const script = lists.map((list) => reply(parts(list), finish("stop")));
  const { proxied } = await behindProxy(scriptedProvider(script));

  for (const list of lists) {
    const expected: unknown = JSON.parse(
      JSON.stringify([...list, { type: "finish", reason: "stop" }]),
    );
    expect(await partsOf(proxied)).toEqual(expected);
  }
});

test("the server's provider gets the request: messages, tools, choices and place", async () => {
  const provider = scriptedProvider([say("Hi")]);
  const facts = { contextWindow: 9_000 };
  const { proxied } = await behindProxy({ provider, id: "vendor-model", facts });
  const tool = { name: "echo", description: "Echoes", inputSchema: { type: "object" } };

  await partsOf(proxied, {
    tools: [tool],
    toolChoice: "none",
    step: 3,
    attempt: 2,
    options: {
      systemPrompt: "Be brief",
      temperature: 0.5,
      thinkingLevel: "high",
      thinkingBudgets: { high: 100 },
      output: { name: "answer", schema: { type: "object" } },
      sessionId: "s1",
      modelFacts: { contextWindow: 1 },
      providerOptions: { elsewhere: { field: "not for this provider" } },
    },
  });

  const [request] = provider.requests;
  expect(request).toMatchObject({ step: 3, attempt: 2, toolChoice: "none", tools: ["echo"] });
  expect(request?.messages).toEqual(requestOf().messages);
  expect(request?.options).toEqual({
    systemPrompt: "Be brief",
    temperature: 0.5,
    thinkingLevel: "high",
    thinkingBudgets: { high: 100 },
    output: { name: "answer", schema: { type: "object" } },
    sessionId: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
    model: "vendor-model",
    modelFacts: facts,
  });
});

const codes: readonly ProviderErrorCode[] = [
  ...(["auth", "rate_limit", "overloaded", "context_overflow"] as const),
  ...(["invalid_request", "content_filter", "network", "protocol"] as const),
];

test.each(codes)(
  "an error %s is the same error here, without what the vendor said",
  async (code) => {
    const error = new ProviderError(code, "POST https://vendor.test/v1?key=secret: {body}", {
      retryable: code === "invalid_request",
      retryAfterMs: 1_234,
      status: 418,
      rejected: { messageId: "u1", part: 0 },
    });
    const { proxied } = await behindProxy(
      scriptedProvider([failBefore(error), failAfter(say("Half"), error)]),
    );

    const before = await failureOf(proxied);
    const seen: ProviderPart[] = [];
    const after = await (async () => {
      for await (const part of proxied.stream(requestOf())) seen.push(part);
    })().catch((thrown: unknown) => thrown);

    for (const thrown of [before, after]) {
      expect(thrown).toBeInstanceOf(ProviderError);
      const { retryable, retryAfterMs, status, rejected } = error;
      expect(thrown).toMatchObject({ code, retryable, retryAfterMs, status, rejected });
      expect((thrown as Error).message).not.toMatch(/vendor\.test|secret|body/);
    }
    expect(seen).toEqual([{ type: "text_delta", delta: "Half" }]);
  },
);

test("a provider that breaks is told to the server, and not to the client", async () => {
  const { proxied, faults } = await behindProxy(
    scriptedProvider([failBefore(new TypeError("undefined is not /etc/passwd"))]),
  );

  const thrown = await failureOf(proxied);

  expect(thrown).toMatchObject({ name: "ProviderError", code: "protocol", retryable: false });
  expect(String(thrown)).not.toContain("passwd");
  expect(String(faults[0])).toContain("passwd");
});

test("a reply that ends without a finish does so here", async () => {
  const { proxied } = await behindProxy(scriptedProvider([reply(say("Half"), cutOff())]));

  expect(await partsOf(proxied)).toEqual([{ type: "text_delta", delta: "Half" }]);
});

test("an abort aborts the request of the server at once, with the reason of the abort", async () => {
  const provider = scriptedProvider([reply(say("Half"), stall())]);
  const { proxied } = await behindProxy(provider);
  const controller = new AbortController();
  const stream = proxied.stream(requestOf({ signal: controller.signal }))[Symbol.asyncIterator]();
  await stream.next();
  const next = stream.next();

  controller.abort(new Error("enough"));

  await expect(next).rejects.toThrow("enough");
  await vi.waitFor(() => expect(provider.openStreams).toBe(0));
  expect(provider.requests[0]?.signal.aborted).toBe(true);
});

test("to leave a reply aborts the request of the server, also one that waits for its first part", async () => {
  const provider = scriptedProvider([reply(say("Half"), stall()), stall()]);
  const { proxied } = await behindProxy(provider);

  const begun = proxied.stream(requestOf())[Symbol.asyncIterator]();
  await begun.next();
  await begun.return?.();
  const silent = proxied.stream(requestOf())[Symbol.asyncIterator]();
  const waiting = silent.next();
  await vi.waitFor(() => expect(provider.requests).toHaveLength(2));
  await silent.return?.();

  await expect(waiting).resolves.toEqual({ value: undefined, done: true });
  await vi.waitFor(() => expect(provider.openStreams).toBe(0));
});

test("a signal that has fired before sends nothing", async () => {
  const provider = scriptedProvider([say("Hi")]);
  const { proxied } = await behindProxy(provider);

  const thrown = await failureOf(proxied, { signal: AbortSignal.abort("no") });

  expect(thrown).toBe("no");
  expect(provider.requests).toHaveLength(0);
});

test.each([
  ["apiKey", { apiKey: "sk-1" }],
  ["headers", { headers: { "x-api-key": "sk-1" } }],
  ["serviceTier", { serviceTier: "priority" }],
  ["providerOptions", { providerOptions: { proxy: { base_url: "https://evil.test" } } }],
])("%s cannot be sent, and the error says so", async (name, options) => {
  const provider = scriptedProvider([say("Hi")]);
  const { proxied } = await behindProxy(provider);

  const thrown = await failureOf(
    { ...proxied, stream: (r) => later(() => proxied.stream(r)) },
    {
      options,
    },
  );

  expect(thrown).toMatchObject({ name: "ProviderError", code: "invalid_request" });
  expect(String(thrown)).toContain(`"${name}"`);
  expect(provider.requests).toHaveLength(0);
});

/** A provider may throw at once. */
async function* later<T>(open: () => AsyncIterable<T>): AsyncGenerator<T> {
  yield* open();
}

test("the window of a model is asked of the server", async () => {
  const { proxied } = await behindProxy({
    provider: scriptedProvider([]),
    id: "m",
    facts: { contextWindow: 4_321 },
  });

  expect(await proxied.findContextWindow?.("", {})).toBe(4_321);
  expect(await proxied.findContextWindow?.("other", {})).toBeUndefined();
});
