import type { Fact, Journal, RunTurnInput, ToolContract } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  manualClock,
  pause,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { keepDiary } from "./diary.ts";

type Call = readonly [isFollowed: boolean, ...types: Fact["type"][]];

/** Runs a turn whose journal notes its calls, the first of each with what it was told about the next facts. */
async function journalled(input: Partial<RunTurnInput> & Pick<RunTurnInput, "provider">) {
  const calls: Call[] = [];
  const record: Journal = (facts, isFollowed = false) => {
    calls.push([isFollowed, ...facts.map(({ type }) => type)]);
  };
  const turn = await runToEnd({ ...input, journal: { record } });
  return { turn, calls };
}

const twoCalls = () => scriptedProvider([reply(callTool("echo"), callTool("echo")), say("Done")]);
const oneCall = () => scriptedProvider([callTool("echo"), say("Done")]);

test("calls that start at once are recorded together with their reply", async () => {
  const { calls } = await journalled({ provider: twoCalls(), tools: [echoTool()] });

  expect(calls[1]).toEqual([false, "message", "attempt_ended", "tool_intent", "tool_intent"]);
});

const asked: ToolContract["needsApproval"] = () => false;

describe("the reply is recorded alone", () => {
  const alone: Call = [false, "message", "attempt_ended"];

  test.each<[string, Partial<ToolContract>]>([
    ["whose tools are pure: they have no intents", { effect: "pure" }],
    ["whose tool needs an approval", { needsApproval: true }],
    ["whose tool may need an approval", { needsApproval: asked }],
    ["whose tool runs alone", { execution: "sequential" }],
    ["whose input is checked asynchronously", { parseInput: async (value) => ({ value }) }],
    ["whose input is refused", { parseInput: () => ({ issues: [{ message: "Wrong" }] }) }],
  ])("of two calls %s", async (_, overrides) => {
    const tools = [{ ...echoTool(), ...overrides }];

    const { calls } = await journalled({ provider: twoCalls(), tools });

    expect(calls[1]).toEqual(alone);
  });

  test.each<[string, RunTurnInput["dispatch"]]>([
    ["a hook decides about its calls", { before: () => undefined }],
    ["its calls run one after the other", { mode: "sequential" }],
    ["steering may skip the second call", { steering: "skip-remaining" }],
    ["not all calls may run at once", { maxParallel: 1 }],
  ])("if %s", async (_, dispatch) => {
    const { calls } = await journalled({ provider: twoCalls(), tools: [echoTool()], dispatch });

    expect(calls[1]).toEqual(alone);
  });
});

test("an asynchronous check of the input is made once", async () => {
  let checks = 0;
  const parseInput: ToolContract["parseInput"] = async (value) => {
    checks += 1;
    return { value };
  };

  const { turn } = await journalled({
    provider: oneCall(),
    tools: [{ ...echoTool(), parseInput }],
  });

  expect([turn.finishReason, checks]).toEqual(["stop", 1]);
});

test("the last result of a step and an answer are followed by other facts at once", async () => {
  const { calls } = await journalled({ provider: oneCall(), tools: [echoTool()] });

  expect(calls).toEqual([
    [false, "attempt"],
    [false, "message", "attempt_ended", "tool_intent"],
    [true, "tool_result"],
    [false, "attempt"],
    [true, "message", "attempt_ended"],
    [false, "turn_ended"],
  ]);
});

test("the result of a call is not followed while another call runs", async () => {
  const slow = deferredTool({ name: "slow" });
  const provider = scriptedProvider([reply(callTool("echo"), callTool("slow")), say("Done")]);

  const running = journalled({ provider, tools: [echoTool(), slow] });
  await slow.whenStarted();
  slow.resolve(slow.started[0]?.toolCallId ?? "", "done");
  const { calls } = await running;

  const results = calls.filter(([, type]) => type === "tool_result");
  expect(results).toEqual([
    [false, "tool_result"],
    [true, "tool_result"],
  ]);
});

test("a pure call beside one with an intent starts after the same record, and its input is checked once", async () => {
  const started: string[] = [];
  let checks = 0;
  const note = (name: string, overrides: Partial<ToolContract>): ToolContract => ({
    ...echoTool(),
    name,
    execute: () => {
      started.push(name);
      return name;
    },
    ...overrides,
  });
  const parseInput: ToolContract["parseInput"] = (value) => {
    checks += 1;
    return { value };
  };
  const tools = [note("look", { effect: "pure", parseInput }), note("pay", {})];
  const provider = scriptedProvider([reply(callTool("look"), callTool("pay")), say("Done")]);

  const { turn, calls } = await journalled({ provider, tools });

  expect(calls[1]).toEqual([false, "message", "attempt_ended", "tool_intent"]);
  expect(started.toSorted()).toEqual(["look", "pay"]);
  expect(checks).toBe(1);
  expect(turn.messages.map((message) => message.role)).toEqual([
    "assistant",
    "tool",
    "tool",
    "assistant",
  ]);
});

describe("no request is said to follow at once", () => {
  test.each<[string, Partial<RunTurnInput>]>([
    ["onStepComplete", { onStepComplete: () => {} }],
    ["stopWhen", { limits: { stopWhen: () => false } }],
    ["an input guard", { guards: { input: () => undefined } }],
    ["prepareStep", { context: { prepareStep: () => undefined } }],
    ["transformContext", { context: { transformContext: (messages) => messages } }],
    ["convertToLlm", { context: { convertToLlm: (messages) => messages } }],
  ])("if %s comes in between", async (_, input) => {
    const { calls } = await journalled({ provider: oneCall(), tools: [echoTool()], ...input });

    expect(calls.filter(([, type]) => type === "tool_result")).toEqual([[false, "tool_result"]]);
  });

  test("if a reply was only paused and prepareStep comes in between", async () => {
    const provider = scriptedProvider([reply(say("One moment"), pause()), say("Done")]);

    const { calls } = await journalled({
      provider,
      context: { prepareStep: () => undefined },
    });

    expect(calls.filter(([, type]) => type === "message")).toEqual([
      [false, "message", "attempt_ended"],
      [true, "message", "attempt_ended"],
    ]);
  });
});

describe("the end is not said to follow at once", () => {
  test.each<[string, Partial<RunTurnInput>]>([
    ["onStepComplete", { onStepComplete: () => {} }],
    ["checkAnswer", { limits: { checkAnswer: () => undefined } }],
  ])("if %s comes in between", async (_, input) => {
    const { calls } = await journalled({
      provider: scriptedProvider([say("Done")]),
      ...input,
    });

    expect(calls[1]).toEqual([false, "message", "attempt_ended"]);
  });
});

test("checkAnswer comes between no result and its next request, and what only decides about requests not between an answer and the end", async () => {
  const checked = await journalled({
    provider: oneCall(),
    tools: [echoTool()],
    limits: { checkAnswer: () => undefined },
  });
  const stopped = await journalled({
    provider: oneCall(),
    tools: [echoTool()],
    limits: { stopWhen: () => false },
    context: { prepareStep: () => undefined },
  });

  expect(checked.calls.filter(([isFollowed]) => isFollowed)).toEqual([[true, "tool_result"]]);
  expect(stopped.calls.filter(([isFollowed]) => isFollowed)).toEqual([
    [true, "message", "attempt_ended"],
  ]);
});

test("a call that started with its reply and ignores an abort is given up after the grace period", async () => {
  const diary = keepDiary();
  const clock = manualClock();
  const controller = new AbortController();
  const stubborn: ToolContract = {
    ...echoTool(),
    execute: () => {
      controller.abort();
      return new Promise<string>(() => {});
    },
  };

  const running = runToEnd({
    ...diary.hooks,
    provider: oneCall(),
    tools: [stubborn],
    signal: controller.signal,
    dispatch: { graceMs: 500 },
    clock,
    now: clock.now,
  });
  await clock.advance(500);
  const turn = await running;

  expect(turn.finishReason).toBe("aborted");
});
