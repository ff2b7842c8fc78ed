import type { DispatchedCall, ToolContract, ToolResult } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failingTool,
  manualClock,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { keepDiary } from "./diary.ts";
import { problemsOf } from "./turn-problems.ts";
import { resultsOf } from "./unfinished-step.ts";

const twoCalls = reply(callTool("echo", { n: 1 }), callTool("echo", { n: 2 }));

test("a before hook sees each checked call, in call order, and lets it run by saying nothing", async () => {
  const seen: DispatchedCall[] = [];
  const echo = echoTool();
  const provider = scriptedProvider([twoCalls, say("Done")]);

  await runToEnd({
    provider,
    tools: [echo],
    dispatch: { before: (call) => void seen.push(call) },
  });

  expect(seen).toEqual([
    { toolCallId: "id-2", toolName: "echo", input: { n: 1 }, step: 1 },
    { toolCallId: "id-3", toolName: "echo", input: { n: 2 }, step: 1 },
  ]);
  expect(echo.started).toHaveLength(2);
});

test("a before hook is not asked about calls that cannot run", async () => {
  const seen: DispatchedCall[] = [];
  const provider = scriptedProvider([callTool("gone"), say("Oh")]);

  await runToEnd({ provider, dispatch: { before: (call) => void seen.push(call) } });

  expect(seen).toEqual([]);
});

test("a blocked call is answered with the reason, and the others run", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([twoCalls, say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echo],
    dispatch: {
      before: async ({ toolCallId }) =>
        toolCallId === "id-2" ? { action: "block", reason: "not this one" } : { action: "run" },
    },
  });

  expect(echo.started.map((call) => call.input)).toEqual([{ n: 2 }]);
  expect(resultsOf(turn)).toEqual(["not this one", '{"n":2}']);
  expect(turn.messages[1]).toMatchObject({ isError: true });
  expect(problemsOf(turn)).toEqual([]);
});

test("a block without a word is an error result that says something", async () => {
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    dispatch: { before: () => ({ action: "block", reason: "" }) },
  });

  expect(problemsOf(turn)).toEqual([]);
});

test("an altered input is checked again, run and shown", async () => {
  const checked: unknown[] = [];
  const echo = echoTool({
    parseInput: (input) => {
      checked.push(input);
      return { value: input };
    },
  });
  const provider = scriptedProvider([callTool("echo", { n: 1 }), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echo],
    dispatch: { before: () => ({ action: "alter", input: { n: 9 } }) },
  });

  expect(checked).toEqual([{ n: 1 }, { n: 9 }]);
  expect(echo.started.map((call) => call.input)).toEqual([{ n: 9 }]);
  expect(turn.recorder.ofType("tool_execution_start")).toMatchObject([{ input: { n: 9 } }]);
});

test("an altered input that does not pass the check is not run", async () => {
  const echo = echoTool({
    parseInput: (input) =>
      JSON.stringify(input) === '{"n":9}' ? { issues: [{ message: "no nine" }] } : { value: input },
  });
  const provider = scriptedProvider([callTool("echo", { n: 1 }), say("Oh")]);

  const turn = await runToEnd({
    provider,
    tools: [echo],
    dispatch: { before: () => ({ action: "alter", input: { n: 9 } }) },
  });

  expect(echo.started).toEqual([]);
  expect(resultsOf(turn)).toEqual([expect.stringContaining("no nine")]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("the guard fell asleep");
    },
  ],
  ["rejects", () => Promise.reject<undefined>(new Error("the guard fell asleep"))],
])("a before hook that %s blocks the call", async (_, before) => {
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await runToEnd({ provider, tools: [echo], dispatch: { before } });

  expect(echo.started).toEqual([]);
  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining("the guard fell asleep"),
  });
  expect(problemsOf(turn)).toEqual([]);
});

test("a before hook that never answers blocks the call at the deadline of callbacks", async () => {
  const clock = manualClock();
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      tools: [echo],
      clock: { timer: clock.timer },
      limits: { deadlines: { callbackMs: 100 } },
      dispatch: { before: () => new Promise(() => {}) },
    }),
  );

  expect(echo.started).toEqual([]);
  expect(turn.messages[1]).toMatchObject({ isError: true });
  expect(clock.now()).toBe(100);
});

test.each([
  ["at once", (_: unknown, result: ToolResult) => ({ ...result, output: "redacted" })],
  ["later", async (_: unknown, result: ToolResult) => ({ ...result, output: "redacted" })],
])(
  "what an after hook returns %s is what is recorded, shown and told to the model",
  async (_, after) => {
    const { facts, hooks } = keepDiary();
    const provider = scriptedProvider([callTool("echo", { secret: 1 }), say("Done")]);

    const turn = await runToEnd({
      provider,
      tools: [echoTool()],
      journal: hooks.journal,
      dispatch: { after },
    });

    expect(resultsOf(turn)).toEqual(["redacted"]);
    expect(turn.recorder.ofType("tool_execution_end")).toMatchObject([{ output: "redacted" }]);
    expect(facts).toContainEqual(
      expect.objectContaining({
        type: "tool_result",
        result: { isError: false, output: "redacted" },
      }),
    );
    expect(problemsOf(turn)).toEqual([]);
  },
);

test("an after hook sees how a call ended, and leaves it by saying nothing", async () => {
  const seen: unknown[] = [];
  const provider = scriptedProvider([callTool("fail"), say("Oh")]);

  const turn = await runToEnd({
    provider,
    tools: [failingTool()],
    dispatch: { after: (call, result) => void seen.push([call.toolName, result.isError]) },
  });

  expect(seen).toEqual([["fail", true]]);
  expect(resultsOf(turn)).toEqual(["the tool failed"]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no paper");
    },
  ],
  ["rejects", () => Promise.reject<undefined>(new Error("no paper"))],
])("an after hook that %s withholds the result", async (_, after) => {
  const tool: ToolContract = { ...echoTool(), execute: () => "the secret" };
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await runToEnd({ provider, tools: [tool], dispatch: { after } });

  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining("no paper"),
  });
  expect(JSON.stringify(turn.events)).not.toContain("the secret");
  expect(problemsOf(turn)).toEqual([]);
});

test.each<[string, ToolResult]>([
  ["an empty error", { isError: true, output: "" }],
  ["empty parts", { isError: true, output: [{ type: "text", text: "" }] }],
  ["no output at all", { isError: false } as ToolResult],
  ["details that are no JSON", { isError: false, output: "x", details: new Date(0) as never }],
])("an after hook that returns %s does not spoil the transcript", async (_, result) => {
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    dispatch: { after: () => result },
  });

  expect(problemsOf(turn)).toEqual([]);
});

test("an after hook of one call does not hold up the next call", async () => {
  const gate = Promise.withResolvers<undefined>();
  const started: string[] = [];
  const tool: ToolContract = {
    ...echoTool(),
    execute: (_, { toolCallId }) => {
      started.push(toolCallId);
      return "done";
    },
  };
  const provider = scriptedProvider([twoCalls, say("Done")]);

  const running = runToEnd({ provider, tools: [tool], dispatch: { after: () => gate.promise } });
  await manualClock().advance(0);
  const meanwhile = [...started];
  gate.resolve(undefined);
  await running;

  expect(meanwhile).toEqual(["id-2", "id-3"]);
});
