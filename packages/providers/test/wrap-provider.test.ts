import type { ProviderContract, ProviderPart, ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { failAfter, failBefore, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { wrapProvider } from "../src/wrap-provider.ts";
import { requestOf } from "./request-of.ts";

async function* loud(parts: AsyncIterable<ProviderPart>): AsyncGenerator<ProviderPart> {
  for await (const part of parts) {
    yield part.type === "text_delta" ? { ...part, delta: part.delta.toUpperCase() } : part;
  }
}

async function* stored(): AsyncGenerator<ProviderPart> {
  yield { type: "text_delta", delta: "Hello" };
  yield { type: "finish", reason: "stop" };
}

function refuse(): never {
  throw new ProviderError("invalid_request", "not with this word");
}

test("a wrapper without hooks changes nothing", async () => {
  const provider = scriptedProvider([say("Hello")], { id: "vendor" });

  const turn = await runToEnd({ provider: wrapProvider(provider, {}) });

  expect(turn.messages).toMatchObject([{ content: [{ text: "Hello" }] }]);
  expect(wrapProvider(provider, {}).id).toBe("vendor");
});

test.each([
  ["sync", (request: ProviderRequest) => ({ ...request, options: { temperature: 0.5 } })],
  ["async", async (request: ProviderRequest) => ({ ...request, options: { temperature: 0.5 } })],
])("what a %s request hook returns is sent", async (_, request) => {
  const provider = scriptedProvider([say("Hello")]);

  await runToEnd({ provider: wrapProvider(provider, { request }) });

  expect(provider.requests).toMatchObject([
    { messages: [{ content: "Hello" }], options: { temperature: 0.5 } },
  ]);
});

test("a request hook that returns nothing only looks on", async () => {
  const provider = scriptedProvider([say("Hello")]);
  const seen: string[] = [];

  const turn = await runToEnd({
    provider: wrapProvider(provider, { request: ({ turnId }) => void seen.push(turnId) }),
  });

  expect(seen).toEqual(["t1"]);
  expect(turn.finishReason).toBe("stop");
});

test("the turn gets the parts that a parts hook returns, and a real request is changed on its way", async () => {
  await using service = await anthropicEmulator([say("Hello")]);
  const base = anthropic("claude-opus-5", { baseUrl: service.url, apiKey: "any" });
  const provider = wrapProvider(base.provider, {
    request: (request) => ({ ...request, options: { ...request.options, maxTokens: 77 } }),
    parts: loud,
  });

  const turn = await runToEnd({ provider, providerOpts: { model: "claude-opus-5" } });

  expect(turn.messages).toMatchObject([{ content: [{ text: "HELLO" }] }]);
  expect(service.requests).toMatchObject([{ body: { max_tokens: 77 } }]);
});

test("a parts hook that returns parts of its own asks no model", async () => {
  const provider = scriptedProvider([]);

  const turn = await runToEnd({
    provider: wrapProvider(provider, { parts: async () => stored() }),
  });

  expect(turn.messages).toMatchObject([{ content: [{ text: "Hello" }] }]);
  expect(provider.requests).toEqual([]);
});

test("an error hook sees what failed, and what it returns is thrown in its place", async () => {
  const provider = scriptedProvider([failAfter(say("He"), "protocol"), say("Hello")]);
  const seen: unknown[] = [];

  const turn = await runToEnd({
    provider: wrapProvider(provider, {
      error: async (error) => {
        seen.push(error);
        return new ProviderError("overloaded", "again", { cause: error });
      },
    }),
    limits: { retry: { maxAttempts: 2 } },
  });

  expect(seen).toMatchObject([{ code: "protocol" }]);
  expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
    { error: { code: "overloaded", message: "again" } },
  ]);
  expect(turn.finishReason).toBe("stop");
});

test("an error hook that returns nothing leaves the error as it is", async () => {
  const provider = scriptedProvider([failBefore("auth")]);

  const turn = await runToEnd({ provider: wrapProvider(provider, { error: () => undefined }) });

  expect(turn.error?.code).toBe("auth");
});

test("hooks for parts and errors get the request that was sent", async () => {
  const provider = scriptedProvider([failAfter(say("He"), "auth")]);
  const seen: (number | undefined)[] = [];

  await runToEnd({
    provider: wrapProvider(provider, {
      request: (request) => ({ ...request, options: { temperature: 0.5 } }),
      parts: (parts, { options }) => {
        seen.push(options.temperature);
        return parts;
      },
      error: (_, { options }) => void seen.push(options.temperature),
    }),
  });

  expect(seen).toEqual([0.5, 0.5]);
});

test("what a hook throws ends the attempt", async () => {
  const provider = scriptedProvider([say("Hello")]);

  const turn = await runToEnd({ provider: wrapProvider(provider, { request: refuse }) });

  expect(turn.error).toMatchObject({ code: "invalid_request", message: "not with this word" });
  expect(provider.requests).toEqual([]);
});

test("what a provider throws when it is aborted is no error for its hook", async () => {
  const stop = new AbortController();
  const errors: unknown[] = [];
  const aborted: ProviderContract = {
    id: "vendor",
    async *stream({ signal }) {
      yield { type: "text_delta", delta: "He" };
      stop.abort(new Error("enough"));
      signal.throwIfAborted();
    },
  };
  const provider = wrapProvider(aborted, { error: (error) => void errors.push(error) });

  const parts = Array.fromAsync(provider.stream(requestOf({ signal: stop.signal })));

  await expect(parts).rejects.toThrow("enough");
  expect(errors).toEqual([]);
});

test("an abort ends the request of a wrapped provider, and is no error for its hook", async () => {
  const stop = new AbortController();
  const errors: unknown[] = [];
  const signals: AbortSignal[] = [];
  const provider = wrapProvider(scriptedProvider([say("Hello")]), {
    request: (request) => {
      signals.push(request.signal);
      stop.abort();
      return new Promise(() => {});
    },
    error: (error) => void errors.push(error),
  });

  const turn = await runToEnd({ provider, signal: stop.signal });

  expect(turn.finishReason).toBe("aborted");
  expect(signals[0]?.aborted).toBe(true);
  expect(errors).toEqual([]);
});
