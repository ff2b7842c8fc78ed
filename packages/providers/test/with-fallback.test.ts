import { createAgent } from "@capstan/core";
import type { LogFields, Logger } from "@capstan/kernel";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import {
  callTool,
  echoTool,
  failAfter,
  failBefore,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { complete } from "../src/complete.ts";
import { withFallback } from "../src/with-fallback.ts";
import { wrapProvider } from "../src/wrap-provider.ts";
import { requestOf } from "./request-of.ts";

const user = { role: "user", id: "u", content: "Hi" } as const;

interface Scripted {
  readonly provider: ScriptedProvider;
  readonly id: string;
}

const model = (id: string, ...script: readonly ScriptItem[]): Scripted => ({
  provider: scriptedProvider(script, { id: `vendor-of-${id}` }),
  id,
});

describe("with a fallback", () => {
  test.each(["overloaded", "rate_limit", "network", "auth", "protocol"] as const)(
    "another model takes over in the next attempt, without waiting, where one fails with %s",
    async (code) => {
      const first = model("a", failBefore(code));
      const second = model("b", say("Hello"));

      const turn = await runToEnd({ provider: withFallback([first, second]).provider });

      expect(turn.finishReason).toBe("stop");
      expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
        { attempt: 1, model: "vendor-of-a/a", error: { code }, delayMs: 0 },
      ]);
      expect(second.provider.requests).toMatchObject([{ attempt: 2, options: { model: "b" } }]);
    },
  );

  test("once something was shown, another takes over as a new attempt, and nothing is doubled", async () => {
    const first = model("a", failAfter(say("Hel"), "network"));
    const second = model("b", say("Hello"));

    const turn = await runToEnd({ provider: withFallback([first, second]).provider });

    expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([{ attempt: 1 }]);
    expect(turn.messages).toMatchObject([{ content: [{ text: "Hello" }] }]);
    expect(second.provider.requests).toMatchObject([{ attempt: 2 }]);
  });

  test.each(["invalid_request", "context_overflow", "content_filter"] as const)(
    "what the request itself is wrong about is not asked of another: %s",
    async (code) => {
      const first = model("a", failBefore(code));
      const second = model("b");

      const turn = await runToEnd({ provider: withFallback([first, second]).provider });

      expect(turn.error?.code).toBe(code);
      expect(second.provider.requests).toEqual([]);
    },
  );

  test("where all fail, the last failure is told", async () => {
    const turn = await runToEnd({
      provider: withFallback([
        model("a", failBefore("overloaded")),
        model("b", failBefore("rate_limit")),
      ]).provider,
    });

    expect(turn.error?.code).toBe("rate_limit");
  });

  test("the caller lists the errors to fall back on", async () => {
    const first = model("a", failBefore("overloaded"), failBefore("content_filter"));
    const second = model("b", say("Hello"));
    const { provider } = withFallback([first, second], { on: ["content_filter"] });

    const turn = await runToEnd({ provider, limits: { retry: { maxAttempts: 2 } } });

    expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
      { model: "vendor-of-a/a", error: { code: "overloaded" }, delayMs: 500 },
      { model: "vendor-of-a/a", error: { code: "content_filter" }, delayMs: 0 },
    ]);
    expect(turn.finishReason).toBe("stop");
  });

  test("once all have failed, they are asked again as the retry policy says", async () => {
    const first = model("a", failBefore("overloaded"), failBefore("overloaded"));
    const second = model("b", failBefore("network"), say("Hello"));

    const turn = await runToEnd({
      provider: withFallback([first, second]).provider,
      limits: { retry: { maxAttempts: 2 } },
    });

    const delays = turn.recorder.ofType("attempt_discarded").map(({ delayMs }) => delayMs);
    expect(delays).toEqual([0, 500, 0]);
    expect(turn.finishReason).toBe("stop");
  });

  test("in each step all models may be asked again", async () => {
    const first = model("a", failBefore("overloaded"), say("Done"));
    const second = model("b", callTool("echo"), failBefore("network"));

    const turn = await runToEnd({
      provider: withFallback([first, second]).provider,
      tools: [echoTool()],
    });

    expect(turn.finishReason).toBe("stop");
    expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
      { step: 1, model: "vendor-of-a/a", delayMs: 0 },
      { step: 2, model: "vendor-of-b/b", delayMs: 0 },
    ]);
  });

  test("a turn stays with the model that answered", async () => {
    const first = model("a", failBefore("overloaded"));
    const second = model("b", callTool("echo"), say("Done"));

    const turn = await runToEnd({
      provider: withFallback([first, second]).provider,
      tools: [echoTool()],
    });

    expect(turn.finishReason).toBe("stop");
    expect(first.provider.requests).toHaveLength(1);
    expect(turn.progress.asked).toEqual({ model: "vendor-of-b/b", index: 1 });
  });

  test("models of a model that falls back itself stand in their order, with what wraps it", async () => {
    const seen: (string | undefined)[] = [];
    const [a, b] = [model("a", failBefore("auth")), model("b", failBefore("auth"))];
    const c = model("c", say("Hello"));
    const inner = withFallback([a, b]);
    const wrapped = wrapProvider(inner.provider, {
      request: ({ options }) => void seen.push(options.model),
    });

    const { provider } = withFallback([{ ...inner, provider: wrapped }, c]);
    const turn = await runToEnd({ provider });

    expect(turn.finishReason).toBe("stop");
    expect(seen).toEqual(["a", "b"]);
    expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
      { model: "vendor-of-a/a" },
      { model: "vendor-of-b/b" },
    ]);
  });

  test("hooks around the whole see every request", async () => {
    const seen: (string | undefined)[] = [];
    const whole = withFallback([model("a", failBefore("auth")), model("b", say("Hello"))]);
    const provider = wrapProvider(whole.provider, {
      request: ({ options }) => void seen.push(options.model),
    });

    await runToEnd({ provider });

    expect(seen).toEqual(["a", "b"]);
  });

  test("a single completion falls back as well", async () => {
    const [first, second] = [model("a", failBefore("overloaded")), model("b", say("Hello"))];
    const { provider } = withFallback([first, second]);

    const completion = await complete(provider, { messages: [user] });

    expect(completion.messages).toMatchObject([{ content: [{ text: "Hello" }] }]);
  });

  test("the spans of attempts name the model that each asks", async () => {
    const asked: LogFields[] = [];
    const logger: Logger = {
      log: () => {},
      startSpan(name, fields) {
        if (name === "attempt") asked.push(fields);
        return { setAttributes: () => {}, end: () => {} };
      },
    };
    const whole = withFallback([model("a", failBefore("auth")), model("b", say("Hello"))]);

    await runToEnd({ provider: whole.provider, logger });

    expect(asked).toMatchObject([
      { provider: "vendor-of-a", model: "a" },
      { provider: "vendor-of-b", model: "b" },
    ]);
  });

  test("a request that comes from no turn asks the first model, by its own id", async () => {
    const first = model("a", say("Hello"));
    const { provider } = withFallback([first, model("b")]);

    await Array.fromAsync(provider.stream(requestOf({ options: { model: "other" } })));

    expect(first.provider.requests).toMatchObject([{ options: { model: "a" } }]);
  });

  test("an agent has the name of the first, and its facts and key go to no other", async () => {
    const first = model("a", failBefore("auth"));
    const second = model("b", say("Hello"));
    const chosen = { ...withFallback([first, second]), facts: { contextWindow: 8 } };

    const text = await createAgent({ model: chosen, getApiKey: (id) => `key of ${id}` }).run("Hi");

    expect(text).toBe("Hello");
    expect(first.provider.requests[0]?.options).toMatchObject({
      model: "a",
      apiKey: "key of vendor-of-a",
      modelFacts: { contextWindow: 8 },
    });
    expect(second.provider.requests[0]?.options).toEqual({
      model: "b",
      apiKey: "key of vendor-of-b",
      sessionId: expect.any(String),
    });
  });
});
