import { ProviderError } from "@capstan/kernel";
import type { ProviderContract } from "@capstan/kernel";
import {
  callTool,
  cutOff,
  echoTool,
  failAfter,
  failBefore,
  manualClock,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { factsOfType, keepDiary } from "./diary.ts";
import { problemsOf, rolesOf } from "./turn-problems.ts";

const retry = { maxAttempts: 3 };

test("a failed attempt is taken back and made again, visibly", async () => {
  const provider = scriptedProvider([failAfter(say("Hel"), "overloaded"), say("Hello")]);

  const turn = await runToEnd({ provider, limits: { retry } });

  const types = turn.recorder.types();
  expect(types.filter((type) => type.startsWith("attempt"))).toEqual([
    "attempt_start",
    "attempt_discarded",
    "attempt_start",
  ]);
  expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
    { step: 1, attempt: 1, error: { name: "ProviderError", code: "overloaded" }, delayMs: 500 },
  ]);
  expect(turn.recorder.text()).toBe("Hello");
  expect(rolesOf(turn)).toEqual(["assistant"]);
  expect(problemsOf(turn)).toEqual([]);
});

test.each([
  ["fails before it begins", failBefore("network")],
  ["fails in the middle", failAfter(say("Hel"), "rate_limit")],
  ["is cut off", reply(say("Hel"), cutOff())],
  ["fails after a call", failAfter(callTool("echo"), "overloaded")],
])("an attempt that %s is made again", async (_, item) => {
  const echo = echoTool();
  const provider = scriptedProvider([item, say("Hello")]);

  const turn = await runToEnd({ provider, tools: [echo], limits: { retry } });

  expect(turn.finishReason).toBe("stop");
  expect(echo.started).toEqual([]);
  expect(turn.recorder.text()).toBe("Hello");
  expect(problemsOf(turn)).toEqual([]);
});

test.each([
  ["says that it will stay", failBefore("invalid_request")],
  ["is no error of a provider", failBefore(new TypeError("a bug"))],
  [
    "asks for a longer wait than allowed",
    failBefore(new ProviderError("rate_limit", "tomorrow", { retryAfterMs: 60_001 })),
  ],
])("a failure that %s is not tried again", async (_, item) => {
  const provider = scriptedProvider([item, say("never")]);

  const turn = await runToEnd({ provider, limits: { retry } });

  expect(turn.finishReason).toBe("error");
  expect(provider.requests).toHaveLength(1);
  expect(turn.recorder.ofType("attempt_discarded")).toEqual([]);
  expect(problemsOf(turn)).toEqual([]);
});

test("without a policy nothing is tried again", async () => {
  const provider = scriptedProvider([failBefore("overloaded"), say("never")]);

  const turn = await runToEnd({ provider });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "overloaded" } });
  expect(provider.requests).toHaveLength(1);
});

test("the last attempt stands: what it said is kept with its error, and its calls never run", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([
    failBefore("overloaded"),
    failBefore("overloaded"),
    failAfter(say("Let me"), callTool("echo"), "overloaded"),
  ]);

  const turn = await runToEnd({ provider, tools: [echo], limits: { retry } });

  expect(turn.messages).toMatchObject([
    {
      stopReason: "error",
      content: [{ type: "text", text: "Let me" }],
      error: { code: "overloaded" },
    },
  ]);
  expect(turn.recorder.ofType("attempt_discarded")).toHaveLength(2);
  expect(echo.started).toEqual([]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a reply that failed is never shown to a model again", async () => {
  const failed = await runToEnd({
    provider: scriptedProvider([failAfter(say("Hel"), "invalid_request")]),
  });
  const provider = scriptedProvider([say("Hello")]);

  await runToEnd({
    provider,
    messages: [...failed.transcript, { role: "user", id: "u2", content: "Again" }],
  });

  expect(provider.requests[0]?.messages.map((message) => message.role)).toEqual(["user", "user"]);
});

test("the waits double, with jitter from the injected chance", async () => {
  const clock = manualClock();
  const chances = [0, 0.5];
  const provider = scriptedProvider([
    failBefore("overloaded"),
    failBefore("overloaded"),
    say("Hello"),
  ]);

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      clock: { timer: clock.timer, random: () => chances.shift() ?? 0 },
      limits: { retry: { maxAttempts: 3, baseDelayMs: 1_000 } },
    }),
  );

  expect(turn.recorder.ofType("attempt_discarded").map((event) => event.delayMs)).toEqual([
    500, 1_500,
  ]);
  expect(clock.now()).toBe(2_000);
  expect(clock.pending()).toBe(0);
});

test("a provider that asks for time gets it, even beyond the longest wait", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([
    failBefore(new ProviderError("rate_limit", "slow down", { retryAfterMs: 45_000 })),
    say("Hello"),
  ]);

  await clock.runUntil(
    runToEnd({ provider, clock: { timer: clock.timer }, limits: { retry: { maxAttempts: 2 } } }),
  );

  expect(clock.now()).toBe(45_000);
});

test("attempts are made again for maxTotalMs after the first failure, however many", async () => {
  const clock = manualClock();
  const provider = scriptedProvider(Array.from({ length: 99 }, () => failBefore("overloaded")));

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      now: clock.now,
      clock: { timer: clock.timer },
      limits: {
        retry: { maxAttempts: 99, baseDelayMs: 1_000, maxDelayMs: 8_000, maxTotalMs: 60_000 },
      },
    }),
  );

  // 1 + 2 + 4 + 8 + 8 + 8 + 8 + 8 + 8 seconds: the next wait would end after 63.
  expect(provider.requests).toHaveLength(10);
  expect(clock.now()).toBe(55_000);
  expect(turn.recorder.ofType("turn_end")).toMatchObject([{ error: { code: "overloaded" } }]);
});

test("without a timer an attempt is made again at once", async () => {
  const provider = scriptedProvider([
    failBefore(new ProviderError("rate_limit", "slow down", { retryAfterMs: 45_000 })),
    say("Hello"),
  ]);

  const turn = await runToEnd({ provider, limits: { retry } });

  expect(turn.finishReason).toBe("stop");
});

test("each step has all attempts", async () => {
  const provider = scriptedProvider([
    failBefore("overloaded"),
    callTool("echo"),
    failBefore("overloaded"),
    say("Done"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { retry: { maxAttempts: 2 } },
  });

  expect(turn.finishReason).toBe("stop");
  expect(turn.progress).toMatchObject({ steps: 2, attempts: 4 });
  expect(provider.requests.map(({ step, attempt }) => [step, attempt])).toEqual([
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
  ]);
});

test("usage adds up over all attempts, and says how many reported nothing", async () => {
  const { facts, hooks } = keepDiary();
  const provider = scriptedProvider([
    failAfter(usage({ inputTokens: 10 }), say("Hel"), "overloaded"),
    failBefore("overloaded"),
    reply(say("Hello"), usage({ inputTokens: 12, outputTokens: 3 })),
  ]);

  const turn = await runToEnd({ provider, limits: { retry }, journal: hooks.journal });

  const total = { inputTokens: 22, outputTokens: 3, unreportedAttempts: 1 };
  expect(turn.usage).toEqual(total);
  expect(turn.events.at(-1)).toMatchObject({ type: "turn_end", usage: total });
  expect(factsOfType(facts, "attempt_ended").map((fact) => [fact.outcome, fact.usage])).toEqual([
    ["discarded", { inputTokens: 10 }],
    ["discarded", undefined],
    ["completed", { inputTokens: 12, outputTokens: 3 }],
  ]);
  expect(turn.messages[0]).toMatchObject({ usage: { inputTokens: 12, outputTokens: 3 } });
});

test("a provider that throws at once instead of in its stream is a failed attempt", async () => {
  const provider: ProviderContract = {
    id: "broken",
    stream: () => {
      throw new ProviderError("network", "no route");
    },
  };

  const turn = await runToEnd({ provider, limits: { retry } });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "network" } });
  expect(turn.recorder.ofType("attempt_start")).toHaveLength(3);
  expect(problemsOf(turn)).toEqual([]);
});

test.each(["error", "aborted"])(
  "a provider that ends its reply in %s has failed, whatever it has said",
  async (reason) => {
    const echo = echoTool();
    const provider = scriptedProvider([
      reply(say("Hel"), callTool("echo"), {
        label: "end",
        play: () => [{ type: "finish", reason }],
      }),
    ]);

    const turn = await runToEnd({ provider, tools: [echo] });

    expect(turn.finishReason).toBe("error");
    expect(turn.messages).toMatchObject([{ stopReason: "error", content: [{ text: "Hel" }] }]);
    expect(echo.started).toEqual([]);
    expect(problemsOf(turn)).toEqual([]);
  },
);
