import { hashJson } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { answering, approve, deny, pick } from "./answering.ts";
import { factsOfType, keepDiary } from "./diary.ts";
import { problemsOf } from "./turn-problems.ts";

test("a call that needs approval does not run, and the turn waits with its final input and hash", async () => {
  const echo = echoTool({ needsApproval: true });
  const provider = scriptedProvider([callTool("echo", { x: 1 })]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.pending).toEqual([
    {
      toolCallId: "id-2",
      kind: "approval",
      toolName: "echo",
      input: { x: 1 },
      hash: hashJson(["echo", { x: 1 }, "id-2"]),
    },
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an approved call runs once, with an intent of its own", async () => {
  const { facts, hooks } = keepDiary();
  const echo = echoTool({ needsApproval: true });
  const provider = scriptedProvider([callTool("echo", { x: 1 }), say("Done")]);

  const { emit, journal } = answering(approve);

  const turn = await runToEnd({
    provider,
    tools: [echo],
    emit,
    journal: { ...journal, ...hooks.journal },
  });

  expect(echo.started.map((call) => call.input)).toEqual([{ x: 1 }]);
  expect(factsOfType(facts, "tool_intent")).toHaveLength(1);
  expect(turn.finishReason).toBe("stop");
  expect(problemsOf(turn)).toEqual([]);
});

test("a denied call is answered to the model, and the turn goes on", async () => {
  const echo = echoTool({ needsApproval: true });
  const provider = scriptedProvider([callTool("echo"), say("I see")]);

  const turn = await runToEnd({ provider, tools: [echo], ...answering(deny) });

  expect(echo.started).toEqual([]);
  expect(turn.messages[1]).toMatchObject({ isError: false, isDenied: true, content: "Denied." });
  expect(turn.finishReason).toBe("stop");
});

test.each([
  ["at once", (input: unknown) => JSON.stringify(input) === '{"x":2}'],
  ["later", async (input: unknown) => JSON.stringify(input) === '{"x":2}'],
])("a tool decides %s which of its calls need approval", async (_, needsApproval) => {
  const echo = echoTool({ needsApproval });
  const provider = scriptedProvider([
    reply(callTool("echo", { x: 1 }), callTool("echo", { x: 2 })),
  ]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started.map((call) => call.input)).toEqual([{ x: 1 }]);
  expect(turn.pending?.map((call) => call.input)).toEqual([{ x: 2 }]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no rules");
    },
  ],
  ["rejects", () => Promise.reject<boolean>(new Error("no rules"))],
])("a call does not run if its tool %s when asked about approval", async (_, needsApproval) => {
  const echo = echoTool({ needsApproval });
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining("no rules"),
  });
  expect(problemsOf(turn)).toEqual([]);
});

test("a call does not run if its tool never says whether it needs approval", async () => {
  const clock = manualClock();
  const echo = echoTool({ needsApproval: () => new Promise(() => {}) });
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await clock.runUntil(
    runToEnd({ provider, tools: [echo], clock: { timer: clock.timer } }),
  );

  expect(echo.started).toEqual([]);
  expect(turn.messages[1]).toMatchObject({ isError: true });
});

test("a before hook may ask for approval, with a reason", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await runToEnd({
    provider,
    tools: [echo],
    dispatch: { before: () => ({ action: "ask", reason: "it costs money" }) },
  });

  expect(echo.started).toEqual([]);
  expect(turn.pending).toMatchObject([{ kind: "approval", reason: "it costs money" }]);
});

test("what a hook altered is what is approved, hashed and run", async () => {
  const echo = echoTool({ needsApproval: true });
  const provider = scriptedProvider([callTool("echo", { x: 1 }), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echo],
    dispatch: { before: () => ({ action: "alter", input: { x: 9 } }) },
    ...answering(approve),
  });

  const hash = hashJson(["echo", { x: 9 }, "id-2"]);
  expect(turn.recorder.ofType("awaiting_tool_execution")).toMatchObject([
    { pending: [{ input: { x: 9 }, hash }] },
  ]);
  expect(echo.started.map((call) => call.input)).toEqual([{ x: 9 }]);
});

test("an approved call of a remote tool then waits for its execution", async () => {
  const provider = scriptedProvider([callTool("remote"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool({ needsApproval: true })],
    ...answering(approve, pick),
  });

  expect(turn.recorder.ofType("awaiting_tool_execution")).toMatchObject([
    { pending: [{ kind: "approval" }] },
    { pending: [{ kind: "execution" }] },
  ]);
  expect(turn.messages[1]).toMatchObject({ content: "picked" });
  expect(problemsOf(turn)).toEqual([]);
});

test("a remote tool is asked once whether a call needs approval", async () => {
  const asked: unknown[] = [];
  const tool = remoteTool({ needsApproval: (input) => asked.push(input) > 0 });
  const provider = scriptedProvider([callTool("remote", { f: 1 })]);

  const turn = await runToEnd({ provider, tools: [tool] });

  expect(asked).toEqual([{ f: 1 }]);
  expect(turn.pending).toMatchObject([{ kind: "approval" }]);
});

test("the time to approve counts from when the call began to wait", async () => {
  const echo = echoTool({ needsApproval: true, answerWithinMs: 60_000 });
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await runToEnd({ provider, tools: [echo], now: manualClock(500).now });

  expect(turn.pending).toMatchObject([{ deadlineAt: 60_500 }]);
});

test("calls beside one that needs approval run, and the others are not held up", async () => {
  const echo = echoTool();
  const guarded = echoTool({ name: "guarded", needsApproval: true, execution: "sequential" });
  const provider = scriptedProvider([reply(callTool("guarded"), callTool("echo", { x: 1 }))]);

  const turn = await runToEnd({ provider, tools: [guarded, echo] });

  expect(echo.started).toHaveLength(1);
  expect(turn.pending?.map((call) => call.toolName)).toEqual(["guarded"]);
});
