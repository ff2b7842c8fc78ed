import type { RunTurnInput, ToolContract } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  sequentialIds,
  stall,
} from "@capstan/testing";
import type { FinishedTurn, RunToEndOptions } from "@capstan/testing";
import { expect, test } from "vitest";
import { keepDiary } from "./diary.ts";
import { problemsOf, rolesOf } from "./turn-problems.ts";
import { resultsOf } from "./unfinished-step.ts";

const never = (): Promise<never> => new Promise(() => {});

/** Aborts the turn when it does nothing more by itself. */
async function abortedAtRest(options: RunToEndOptions, reason?: unknown): Promise<FinishedTurn> {
  const controller = new AbortController();
  const running = runToEnd({ ...options, signal: controller.signal });
  await manualClock().advance(0);
  controller.abort(reason);
  return running;
}

test("running tools get the signal, and those that obey have the grace period to end by themselves", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const obedient = deferredTool({ name: "obedient", settlesOnAbort: true });
  const provider = scriptedProvider([callTool("obedient")]);

  const running = runToEnd({
    provider,
    tools: [obedient],
    signal: controller.signal,
    clock: { timer: clock.timer },
  });
  await obedient.whenStarted();
  controller.abort();
  const turn = await running;

  expect(obedient.aborted).toEqual(["id-2"]);
  expect(clock.now()).toBe(0);
  expect(clock.pending()).toBe(0);
  expect(resultsOf(turn)).toEqual([expect.stringContaining("Interrupted")]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a tool that ends well within the grace period keeps its result", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const tool = deferredTool();
  const provider = scriptedProvider([callTool("deferred")]);

  const running = runToEnd({
    provider,
    tools: [tool],
    signal: controller.signal,
    clock: { timer: clock.timer },
  });
  await tool.whenStarted();
  controller.abort();
  await clock.advance(500);
  tool.resolve("id-2", "done after all");
  const turn = await running;

  expect(resultsOf(turn)).toEqual(["done after all"]);
  expect(turn.finishReason).toBe("aborted");
});

test("deaf tools are given up after the grace period, and what they say later is dropped", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const deaf = deferredTool();
  const provider = scriptedProvider([reply(callTool("deferred"), callTool("deferred"))]);

  const running = runToEnd({
    provider,
    tools: [deaf],
    signal: controller.signal,
    clock: { timer: clock.timer },
    dispatch: { graceMs: 300 },
  });
  await deaf.whenStarted(2);
  controller.abort();
  const turn = await clock.runUntil(running);
  deaf.started[0]?.context.update("late");
  deaf.resolve("id-2", "late");
  await clock.advance(0);

  expect(clock.now()).toBe(300);
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "tool", "user"]);
  expect(JSON.stringify([turn.messages, turn.events])).not.toContain("late");
  expect(problemsOf(turn)).toEqual([]);
});

test("the grace period is a second, and without a timer there is none", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const tool = deferredTool();

  const withTimer = runToEnd({
    provider: scriptedProvider([callTool("deferred")]),
    tools: [tool],
    signal: controller.signal,
    clock: { timer: clock.timer },
  });
  await tool.whenStarted();
  controller.abort();
  await clock.runUntil(withTimer);
  const without = await abortedAtRest({
    provider: scriptedProvider([callTool("deferred")]),
    tools: [deferredTool()],
  });

  expect(clock.now()).toBe(1_000);
  expect(without.finishReason).toBe("aborted");
});

test("a result says whether what was interrupted may have taken effect", async () => {
  const provider = scriptedProvider([reply(callTool("pure"), callTool("deferred"))]);

  const turn = await abortedAtRest({
    provider,
    tools: [deferredTool({ name: "pure", effect: "pure" }), deferredTool()],
  });

  expect(resultsOf(turn)).toEqual([
    expect.not.stringContaining("may have taken effect"),
    expect.stringContaining("may have taken effect"),
  ]);
});

test("an abort while an intent is being recorded runs nothing and leaves one result", async () => {
  const { facts, hooks } = keepDiary();
  const gate = Promise.withResolvers<void>();
  const controller = new AbortController();
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo")]);

  const running = runToEnd({
    provider,
    tools: [echo],
    signal: controller.signal,
    journal: {
      record: (added) => {
        void hooks.journal.record(added);
        return added.some((fact) => fact.type === "tool_intent") ? gate.promise : undefined;
      },
    },
    clock: { timer: manualClock().timer },
  });
  await manualClock().advance(0);
  controller.abort();
  gate.resolve();
  const turn = await running;

  expect(echo.started).toEqual([]);
  expect(facts.filter((fact) => fact.type === "tool_result")).toHaveLength(1);
  expect(resultsOf(turn)).toEqual([expect.stringContaining("Not run")]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort while answers are awaited refuses the calls that wait", async () => {
  const provider = scriptedProvider([callTool("remote")]);

  const turn = await abortedAtRest({
    provider,
    tools: [remoteTool()],
    journal: { answers: never as never },
  });

  expect(turn.finishReason).toBe("aborted");
  expect(turn.pending).toBeUndefined();
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "user"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort of a turn that is entered with calls that wait refuses them", async () => {
  const suspended = await runToEnd({
    provider: scriptedProvider([callTool("remote")]),
    tools: [remoteTool()],
  });

  const turn = await runToEnd({
    provider: scriptedProvider([]),
    tools: [remoteTool()],
    messages: suspended.transcript,
    journal: { open: suspended.open ?? [] },
    clock: { newId: sequentialIds("later") },
    signal: AbortSignal.abort(),
  });

  expect(turn.finishReason).toBe("aborted");
  expect(rolesOf(turn)).toEqual(["tool", "user"]);
  expect(problemsOf(turn)).toEqual([]);
});

test.each<[string, Partial<RunTurnInput>]>([
  ["the before hook", { dispatch: { before: never } }],
  ["the after hook", { dispatch: { after: never } }],
  ["transformContext", { context: { transformContext: never } }],
  ["convertToLlm", { context: { convertToLlm: never } }],
  ["checkLimits", { limits: { checkLimits: never } }],
  ["stopWhen", { limits: { stopWhen: never } }],
  ["onStepComplete", { onStepComplete: never }],
  ["drainSteering", { drainSteering: never as never }],
])("an abort ends the wait for %s", async (_, options) => {
  const provider = scriptedProvider([callTool("echo"), stall()]);

  const turn = await abortedAtRest({ provider, tools: [echoTool()], ...options });

  expect(turn.finishReason).toBe("aborted");
  expect(turn.recorder.ofType("turn_end")).toHaveLength(1);
  expect(problemsOf(turn)).toEqual([]);
});

test.each<[string, Partial<ToolContract>]>([
  ["parseInput", { parseInput: never }],
  ["needsApproval", { needsApproval: never }],
])("an abort ends the wait for %s, and the call does not run", async (_, options) => {
  const echo = echoTool(options);
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await abortedAtRest({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.finishReason).toBe("aborted");
  expect(problemsOf(turn)).toEqual([]);
});

test.each([
  ["a text", "enough", "enough"],
  ["an error", new Error("out of time"), "out of time"],
  ["nothing", undefined, undefined],
])("the reason of an abort is reported if it is %s", async (_, reason, reported) => {
  const { facts, hooks } = keepDiary();
  const provider = scriptedProvider([reply(say("Hel"), stall())]);

  const turn = await abortedAtRest({ provider, journal: hooks.journal }, reason);

  expect(turn.recorder.ofType("abort").map((event) => event.reason)).toEqual([reported]);
  expect(facts.at(-1)).toMatchObject({ type: "turn_ended", finishReason: "aborted" });
  expect((facts.at(-1) as { abortReason?: string }).abortReason).toBe(reported);
});
