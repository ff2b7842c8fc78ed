import { createAgent } from "@capstan/core";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import {
  failAfter,
  failBefore,
  ping,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { withFallback } from "../src/with-fallback.ts";

interface Scripted {
  readonly provider: ScriptedProvider;
  readonly id: string;
}

const model = (id: string, ...script: readonly ScriptItem[]): Scripted => ({
  provider: scriptedProvider(script, { id: `vendor-of-${id}` }),
  id,
});

describe("with a fallback", () => {
  test.each(["overloaded", "rate_limit", "network", "auth"] as const)(
    "another model takes over in the same attempt where one fails with %s",
    async (code) => {
      const first = model("a", failBefore(code));
      const second = model("b", say("Hello"));

      const turn = await runToEnd({ provider: withFallback([first, second]).provider });

      expect(turn.finishReason).toBe("stop");
      expect(turn.recorder.ofType("attempt_discarded")).toEqual([]);
      expect(second.provider.requests).toMatchObject([{ attempt: 1, options: { model: "b" } }]);
    },
  );

  test("signs of life do not count as something shown", async () => {
    const first = model("a", reply(ping(), failBefore("overloaded")));
    const second = model("b", say("Hello"));

    const turn = await runToEnd({ provider: withFallback([first, second]).provider });

    expect(turn.recorder.ofType("attempt_discarded")).toEqual([]);
    expect(turn.messages).toMatchObject([{ content: [{ text: "Hello" }] }]);
  });

  test("once something was shown, another takes over as a new attempt, and nothing is doubled", async () => {
    const first = model("a", failAfter(say("Hel"), "network"));
    const second = model("b", say("Hello"));

    const turn = await runToEnd({
      provider: withFallback([first, second]).provider,
      retry: { maxAttempts: 2 },
    });

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

  test("an agent has the name of the first, and its facts and key go to no other", async () => {
    const first = model("a", failBefore("auth"));
    const second = model("b", say("Hello"));
    const chosen = { ...withFallback([first, second]), facts: { contextWindow: 8 } };

    const text = await createAgent({ model: chosen, getApiKey: () => "key-a" }).run("Hi");

    expect(text).toBe("Hello");
    expect(first.provider.requests[0]?.options).toMatchObject({
      model: "a",
      apiKey: "key-a",
      modelFacts: { contextWindow: 8 },
    });
    expect(second.provider.requests[0]?.options).toEqual({
      model: "b",
      sessionId: expect.any(String),
    });
  });
});
