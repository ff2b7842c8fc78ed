import type { Deadlines } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failAfter,
  manualClock,
  ping,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
  wait,
} from "@capstan/testing";
import type { FinishedTurn, ManualClock, ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf } from "./turn-problems.ts";

/** Goes on after so much time. */
function after(clock: ManualClock, ms: number): ScriptItem {
  return wait(() => new Promise<void>((resolve) => void clock.timer(ms, resolve)));
}

/** Runs a script against the clock until the turn ends. */
function runOn(
  clock: ManualClock,
  script: readonly ScriptItem[],
  deadlines: Deadlines,
  hasNow = true,
): Promise<FinishedTurn> {
  const running = runToEnd({
    provider: scriptedProvider(script),
    tools: [echoTool()],
    clock: { timer: clock.timer },
    ...(hasNow && { now: clock.now }),
    limits: { deadlines },
  });
  return clock.runUntil(running);
}

const limits: Deadlines = { firstPartMs: 1_000, betweenPartsMs: 400, attemptMs: 5_000 };

test.each([
  ["with a clock", true],
  ["without a clock", false],
])("a provider that never begins is given up when its first part is due, %s", async (_, hasNow) => {
  const clock = manualClock();

  const turn = await runOn(clock, [stall()], limits, hasNow);

  expect(clock.now()).toBe(1_000);
  expect(turn.finishReason).toBe("error");
  expect(turn.error).toMatchObject({
    code: "network",
    message: expect.stringContaining("1000 ms"),
  });
  expect(problemsOf(turn)).toEqual([]);
});

test("a provider that falls silent is given up, late by a quarter of the limit at most", async () => {
  const clock = manualClock();

  const turn = await runOn(clock, [reply(say("Hel"), stall())], limits);

  expect(clock.now()).toBeGreaterThanOrEqual(400);
  expect(clock.now()).toBeLessThanOrEqual(500);
  expect(turn.messages).toMatchObject([{ stopReason: "error", content: [{ text: "Hel" }] }]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a provider that falls silent is given up without a clock too", async () => {
  const clock = manualClock();

  const turn = await runOn(clock, [reply(say("Hel"), stall())], limits, false);

  expect(turn.error?.message).toContain("next part");
  expect(problemsOf(turn)).toEqual([]);
});

test("a slow provider is not given up as long as its parts come in time", async () => {
  const clock = manualClock();
  const drop = (text: string): ScriptItem => [after(clock, 390), say(text)];

  const turn = await runOn(
    clock,
    [reply(after(clock, 990), say("a"), drop("b"), drop("c"), drop("d"), drop("e"))],
    limits,
  );

  expect(turn.recorder.text()).toBe("abcde");
  expect(turn.finishReason).toBe("stop");
});

test("a sign of life counts as a part", async () => {
  const clock = manualClock();
  const alive = [ping(), after(clock, 390)];

  const turn = await runOn(clock, [[...alive, ...alive, ...alive, ...alive, say("Hi")]], limits);

  expect(turn.finishReason).toBe("stop");
});

test.each([
  ["with a clock", true],
  ["without a clock", false],
])("an attempt that goes on for ever is given up when its time is over, %s", async (_, hasNow) => {
  const clock = manualClock();
  const alive = Array.from({ length: 100 }, () => [ping(), after(clock, 100)]);

  const turn = await runOn(clock, [alive], limits, hasNow);

  expect(clock.now()).toBeGreaterThanOrEqual(5_000);
  expect(clock.now()).toBeLessThanOrEqual(5_400);
  expect(turn.error?.message).toContain("whole attempt");
});

test("the time of an attempt begins with the attempt, not with the turn", async () => {
  const clock = manualClock();
  const slow = (item: ScriptItem): ScriptItem => [after(clock, 900), item];

  const turn = await runOn(
    clock,
    [slow(callTool("echo")), slow(callTool("echo")), slow(callTool("echo")), slow(say("Done"))],
    { ...limits, attemptMs: 1_000 },
  );

  expect(turn.finishReason).toBe("stop");
  expect(clock.now()).toBe(3_600);
});

test("a later attempt has no more time for its first part than the first one had", async () => {
  const clock = manualClock();
  const script = [reply(say("Let me see"), after(clock, 2_000), callTool("echo")), stall()];

  await runOn(clock, script, { firstPartMs: 1_000, betweenPartsMs: 60_000 });

  expect(clock.now()).toBe(3_000);
});

test("an attempt with as many parts as the one before has its own time between parts", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([
    failAfter(say("Hel"), after(clock, 300), "overloaded"),
    reply(say("Hel"), stall()),
  ]);
  const retryMs = 1_000;

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      now: clock.now,
      clock: { timer: clock.timer },
      limits: {
        retry: { maxAttempts: 2, baseDelayMs: retryMs, maxDelayMs: retryMs },
        deadlines: limits,
      },
    }),
  );

  const secondAt = 300 + retryMs;
  expect(turn.error?.message).toContain("next part");
  expect(clock.now()).toBeGreaterThanOrEqual(secondAt + 400);
  expect(clock.now()).toBeLessThanOrEqual(secondAt + 500);
});

test("a limit of Infinity is none", async () => {
  const clock = manualClock();
  const script = [reply(after(clock, 10_000_000), say("Hel"), after(clock, 10_000_000), say("lo"))];

  const turn = await runOn(clock, script, { firstPartMs: Infinity, betweenPartsMs: Infinity });

  expect(turn.finishReason).toBe("stop");
});

test("without numbers of its own a turn waits five minutes for a first part and two between parts", async () => {
  const first = manualClock();
  const between = manualClock();

  await runOn(first, [stall()], {});
  await runOn(between, [reply(say("Hel"), stall())], {});

  expect(first.now()).toBe(300_000);
  expect(between.now()).toBeGreaterThanOrEqual(120_000);
  expect(between.now()).toBeLessThanOrEqual(150_000);
});

test("without a timer there are no deadlines", async () => {
  const clock = manualClock();
  const gate = Promise.withResolvers<void>();
  const provider = scriptedProvider([reply(wait(gate.promise), say("at last"))]);

  const running = runToEnd({ provider, now: clock.now, limits: { deadlines: { firstPartMs: 1 } } });
  await clock.advance(1_000_000);
  gate.resolve();
  const turn = await running;

  expect(turn.finishReason).toBe("stop");
});

test("a provider that was given up is told, and its stream is left", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([stall()]);

  await clock.runUntil(runToEnd({ provider, clock: { timer: clock.timer } }));
  await clock.advance(0);

  expect(provider.requests[0]?.signal.aborted).toBe(true);
  expect(provider.openStreams).toBe(0);
  expect(clock.pending()).toBe(0);
});

test("an attempt that was given up is made again", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([reply(say("Hel"), stall()), say("Hello")]);

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      now: clock.now,
      clock: { timer: clock.timer },
      limits: { retry: { maxAttempts: 2 }, deadlines: { betweenPartsMs: 1_000 } },
    }),
  );

  expect(turn.recorder.text()).toBe("Hello");
  expect(provider.openStreams).toBe(0);
  expect(problemsOf(turn)).toEqual([]);
});
