import {
  failAfter,
  manualClock,
  ping,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  wait,
} from "@capstan/testing";
import type { FinishedTurn, ManualClock, ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";

const deadlines = { firstPartMs: 2_000, betweenPartsMs: 400, contentMs: 1_000 };

/** Keeps the connection alive for so long, without content. */
function alive(clock: ManualClock, ms: number): ScriptItem {
  const pause = wait(() => new Promise<void>((resolve) => void clock.timer(100, resolve)));
  return Array.from({ length: ms / 100 }, () => [ping(), pause]);
}

function runOn(clock: ManualClock, script: readonly ScriptItem[]): Promise<FinishedTurn> {
  const retry = { maxAttempts: 2, baseDelayMs: 500, maxDelayMs: 500 };
  const provider = scriptedProvider(script);
  const { timer, now } = clock;
  return clock.runUntil(
    runToEnd({ provider, clock: { timer }, now, limits: { retry, deadlines } }),
  );
}

test("a provider that stays alive but adds no content is given up, late by a quarter of a limit at most", async () => {
  const clock = manualClock();
  const gaveUpAt: number[] = [];
  const second = wait(() => Promise.resolve(void gaveUpAt.push(clock.now() - 500)));

  const turn = await runOn(clock, [
    reply(say("Hel"), alive(clock, 60_000)),
    reply(second, say("Hello")),
  ]);

  expect(turn.recorder.text()).toBe("Hello");
  expect(gaveUpAt[0]).toBeGreaterThanOrEqual(1_000);
  expect(gaveUpAt[0]).toBeLessThanOrEqual(1_100);
});

test("a provider whose content comes slowly is not given up, however long it takes", async () => {
  const clock = manualClock();
  const drop = (text: string): ScriptItem => [alive(clock, 900), say(text)];

  const turn = await runOn(clock, [reply(say("a"), drop("b"), drop("c"), drop("d"), drop("e"))]);

  expect(turn.recorder.text()).toBe("abcde");
  expect(clock.now()).toBe(3_600);
});

test("an attempt without any content is given up when a first part would have been due", async () => {
  const clock = manualClock();

  const turn = await runOn(clock, [alive(clock, 60_000), alive(clock, 60_000)]);

  expect(turn.error?.message).toContain("content within 2000 ms");
  expect(clock.now()).toBe(2_000 + 500 + 2_000);
});

test("an attempt after one with as much content has its own time", async () => {
  const clock = manualClock();

  const turn = await runOn(clock, [
    failAfter(say("Hel"), alive(clock, 900), "overloaded"),
    reply(say("Hel"), alive(clock, 900), say("lo")),
  ]);

  expect(turn.finishReason).toBe("stop");
  expect(turn.recorder.text()).toBe("Hello");
});
