import { hashJson } from "@capstan/kernel";
import type { OpenCall } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  finish,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { keepDiary } from "./diary.ts";
import { problemsOf } from "./turn-problems.ts";

function picked(toolCallId: string, output = "picked"): OpenCall {
  return { toolCallId, state: "settled", result: { isError: false, output } };
}

test("a call of a remote tool suspends the turn, which says what it waits for", async () => {
  const provider = scriptedProvider([callTool("remote", { f: 1 })]);

  const turn = await runToEnd({ provider, tools: [remoteTool()] });

  const call = { toolCallId: "id-2", kind: "execution", toolName: "remote", input: { f: 1 } };
  expect(turn.finishReason).toBe("tool-calls");
  expect(turn.pending).toMatchObject([call]);
  expect(turn.recorder.ofType("awaiting_tool_execution")).toMatchObject([{ pending: [call] }]);
  expect(turn.events.at(-1)).toMatchObject({ type: "turn_end", pending: [call] });
  expect(problemsOf(turn)).toEqual([]);
});

test("a suspended turn has not closed its step: no result, no step_end, no onStepComplete", async () => {
  const completed: unknown[] = [];
  const provider = scriptedProvider([reply(callTool("remote"), callTool("echo"))]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool(), echoTool()],
    onStepComplete: (messages) => void completed.push(messages),
  });

  expect(turn.messages.map((message) => message.role)).toEqual(["assistant"]);
  expect(turn.recorder.ofType("step_end")).toEqual([]);
  expect(completed).toEqual([]);
});

test("remote calls wait at once, while the local ones of the same reply still run", async () => {
  const local = deferredTool();
  const provider = scriptedProvider([reply(callTool("deferred"), callTool("remote")), say("Done")]);
  const { entries, hooks } = keepDiary();

  const running = runToEnd({ ...hooks, provider, tools: [local, remoteTool()] });
  await local.whenStarted();
  const before = [...entries];
  local.resolve("id-2", "done");
  const turn = await running;

  expect(before).toContain("event awaiting_tool_execution");
  expect(before).not.toContain("event turn_end");
  expect(turn.open).toMatchObject([
    { toolCallId: "id-2", state: "settled", isRecorded: true },
    { toolCallId: "id-3", state: "pending" },
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("answers that come while local calls run spare the suspension", async () => {
  const local = deferredTool();
  const answers: OpenCall[] = [];
  const provider = scriptedProvider([reply(callTool("deferred"), callTool("remote")), say("Done")]);

  const running = runToEnd({
    provider,
    tools: [local, remoteTool()],
    journal: { answers: () => answers.splice(0) },
  });
  await local.whenStarted();
  answers.push(picked("id-3"));
  local.resolve("id-2", "done");
  const turn = await running;

  expect(turn.finishReason).toBe("stop");
  expect(turn.messages.map((message) => message.role)).toEqual([
    "assistant",
    "tool",
    "tool",
    "assistant",
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("if only some answers came, the turn waits for the others", async () => {
  const answers = [[picked("id-3")]];
  const provider = scriptedProvider([reply(callTool("remote"), callTool("remote"))]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { answers: () => answers.shift() ?? [] },
  });

  expect(turn.pending?.map((call) => call.toolCallId)).toEqual(["id-2"]);
  expect(turn.open).toMatchObject([
    { toolCallId: "id-2", state: "pending" },
    { toolCallId: "id-3", state: "settled", result: { output: "picked" } },
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an answer to a call that does not wait is ignored, and the first of two counts", async () => {
  const answers = [
    [picked("nobody"), picked("id-3", "for a local call")],
    [picked("id-2", "first"), picked("id-2", "second")],
  ];
  const provider = scriptedProvider([reply(callTool("remote"), callTool("echo")), say("Done")]);

  const first = await runToEnd({
    provider,
    tools: [remoteTool(), echoTool()],
    journal: { answers: () => answers.shift() ?? [] },
  });
  const second = await runToEnd({
    provider,
    tools: [remoteTool(), echoTool()],
    messages: first.transcript,
    journal: { open: first.open ?? [], answers: () => answers.shift() ?? [] },
  });

  expect(first.pending?.map((call) => call.toolCallId)).toEqual(["id-2"]);
  expect(second.messages.slice(0, 2)).toMatchObject([{ content: "first" }, { content: "{}" }]);
});

test("an approval of a call that waits for its execution fits nothing, and is ignored", async () => {
  const asked: number[] = [];
  const approval: OpenCall = { toolCallId: "id-2", state: "approved" };
  const provider = scriptedProvider([callTool("remote")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { answers: () => (asked.push(1) > 10 ? [] : [approval]) },
  });

  expect(turn.pending).toMatchObject([{ kind: "execution" }]);
  expect(turn.recorder.ofType("awaiting_tool_execution")).toHaveLength(1);
  expect(asked.length).toBeLessThan(10);
});

test("a failed answer is an error result", async () => {
  const answers: OpenCall[][] = [
    [{ toolCallId: "id-2", state: "settled", result: { isError: true, output: "no such file" } }],
  ];
  const provider = scriptedProvider([callTool("remote"), say("Oh")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { answers: () => answers.shift() ?? [] },
  });

  expect(turn.messages[1]).toMatchObject({ isError: true, content: "no such file" });
});

test("an answer without content, or with content that no provider takes, becomes one that all take", async () => {
  const dirty = { isError: true, output: [{ type: "text", text: "" }], details: 1 } as const;
  const answers: OpenCall[][] = [[{ toolCallId: "id-2", state: "settled", result: dirty }]];
  const provider = scriptedProvider([callTool("remote"), say("Oh")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { answers: () => answers.shift() ?? [] },
  });

  expect(turn.messages[1]).toMatchObject({ isError: true, content: expect.stringMatching(/./) });
  expect(problemsOf(turn)).toEqual([]);
});

test("the hash names tool, input and call, whatever the order of the keys", async () => {
  const provider = scriptedProvider([callTool("remote", { b: 1, a: 2 })]);

  const turn = await runToEnd({ provider, tools: [remoteTool()] });

  const hash = turn.pending?.[0]?.hash;
  expect(hash).toBe(hashJson(["remote", { a: 2, b: 1 }, "id-2"]));
  expect(hash).not.toBe(hashJson(["remote", { a: 2, b: 1 }, "id-3"]));
  expect(hash).not.toBe(hashJson(["other", { a: 2, b: 1 }, "id-2"]));
  expect(hash).not.toBe(hashJson(["remote", { a: 2, b: 2 }, "id-2"]));
});

test("the time to answer counts from when the call began to wait, if there is a clock", async () => {
  const tools = [remoteTool({ answerWithinMs: 5_000 })];
  const clock = manualClock(1_000);

  const timed = await runToEnd({
    provider: scriptedProvider([callTool("remote")]),
    tools,
    now: clock.now,
  });
  const timeless = await runToEnd({ provider: scriptedProvider([callTool("remote")]), tools });

  expect(timed.pending).toMatchObject([{ deadlineAt: 6_000 }]);
  expect(timeless.pending?.[0]).not.toHaveProperty("deadlineAt");
});

test("a remote call with input that does not pass the check does not wait, but is answered to the model", async () => {
  const tool = remoteTool({ parseInput: () => ({ issues: [{ message: "no file" }] }) });
  const provider = scriptedProvider([callTool("remote"), say("Oh")]);

  const turn = await runToEnd({ provider, tools: [tool] });

  expect(turn.recorder.ofType("awaiting_tool_execution")).toEqual([]);
  expect(turn.messages[1]).toMatchObject({ isError: true });
  expect(turn.finishReason).toBe("stop");
});

test.each(["length", "content-filter"])(
  "a remote call of a reply that ended in %s never becomes pending",
  async (reason) => {
    const { facts, hooks } = keepDiary();
    const provider = scriptedProvider([reply(callTool("remote"), finish(reason)), say("Oh")]);

    const turn = await runToEnd({ ...hooks, provider, tools: [remoteTool()] });

    expect(turn.recorder.ofType("awaiting_tool_execution")).toEqual([]);
    expect(facts.filter((fact) => "pending" in fact)).toEqual([]);
    expect(turn.messages[1]).toMatchObject({ isError: true });
  },
);

test("a remote call of the closing report never becomes pending", async () => {
  const provider = scriptedProvider([reply(say("I did"), callTool("remote"))]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    limits: { maxSteps: 0, closing: { prompt: "Report" } },
  });

  expect(turn.recorder.ofType("awaiting_tool_execution")).toEqual([]);
  expect(turn.messages.at(-1)).toMatchObject({ role: "tool", isError: true });
});
