import type { ChatMessage, ToolContract } from "@capstan/kernel";
import {
  callTool,
  callToolRaw,
  cutToolCall,
  deferredTool,
  echoTool,
  finish,
  manualClock,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import type { DeferredTool, RunToEndOptions } from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf } from "./turn-problems.ts";
import { resultsOf } from "./unfinished-step.ts";

const clock = manualClock();

/** One reply with this many calls of each tool, then an answer. */
function calling(...names: readonly string[]): RunToEndOptions["provider"] {
  return scriptedProvider([reply(...names.map((name, n) => callTool(name, { n }))), say("Done")]);
}

function startedIds(...tools: readonly DeferredTool[]): string[] {
  return tools.flatMap((tool) => tool.started.map((call) => call.toolCallId)).sort();
}

function resolveAll(tool: DeferredTool, ids: readonly string[]): void {
  for (const id of ids) tool.resolve(id, "done");
}

test("calls of one reply run side by side, eight at most, and the next starts when one has ended", async () => {
  const tool = deferredTool();
  const provider = calling(...Array.from({ length: 10 }, () => "deferred"));

  const running = runToEnd({ provider, tools: [tool] });
  await clock.advance(0);
  const atFirst = tool.started.length;
  tool.resolve("id-5", "done");
  await clock.advance(0);
  const afterOne = tool.started.length;
  resolveAll(tool, ["id-2", "id-3", "id-4", "id-6"]);
  await tool.whenStarted(10);
  resolveAll(tool, ["id-7", "id-8", "id-9", "id-10", "id-11"]);
  await running;

  expect([atFirst, afterOne]).toEqual([8, 9]);
});

test("the limit can be set", async () => {
  const tool = deferredTool();

  const running = runToEnd({
    provider: calling("deferred", "deferred", "deferred"),
    tools: [tool],
    dispatch: { maxParallel: 2 },
  });
  await clock.advance(0);
  const atFirst = startedIds(tool);
  tool.resolve("id-2", "done");
  await clock.advance(0);
  tool.resolve("id-3", "done");
  tool.resolve("id-4", "done");
  await running;

  expect(atFirst).toEqual(["id-2", "id-3"]);
});

test.each([0, -1])("a limit of %i does not keep the turn from ending", async (maxParallel) => {
  const manual = manualClock();

  const turn = await manual.runUntil(
    runToEnd({
      provider: calling("echo", "echo"),
      tools: [echoTool()],
      clock: { timer: manual.timer },
      dispatch: { maxParallel },
    }),
  );

  expect(problemsOf(turn)).toEqual([]);
});

test("in sequential mode each call waits for the one before it", async () => {
  const tool = deferredTool();

  const running = runToEnd({
    provider: calling("deferred", "deferred"),
    tools: [tool],
    dispatch: { mode: "sequential" },
  });
  await clock.advance(0);
  const atFirst = startedIds(tool);
  tool.resolve("id-2", "done");
  await tool.whenStarted(2);
  tool.resolve("id-3", "done");
  await running;

  expect(atFirst).toEqual(["id-2"]);
});

test("a sequential tool runs alone: after all calls before it, and before all calls after it", async () => {
  const tool = deferredTool();
  const alone = deferredTool({ name: "alone", execution: "sequential" });

  const running = runToEnd({
    provider: calling("deferred", "deferred", "alone", "deferred"),
    tools: [tool, alone],
  });
  await clock.advance(0);
  const first = startedIds(tool, alone);
  tool.resolve("id-2", "done");
  await clock.advance(0);
  const second = startedIds(tool, alone);
  tool.resolve("id-3", "done");
  await alone.whenStarted();
  const third = startedIds(tool, alone);
  alone.resolve("id-4", "done");
  await tool.whenStarted(3);
  tool.resolve("id-5", "done");
  await running;

  expect(first).toEqual(["id-2", "id-3"]);
  expect(second).toEqual(first);
  expect(third).toEqual(["id-2", "id-3", "id-4"]);
});

test("results stand in call order, while events tell the order in which the calls ended", async () => {
  const tool = deferredTool();

  const running = runToEnd({ provider: calling("deferred", "deferred"), tools: [tool] });
  await tool.whenStarted(2);
  tool.resolve("id-3", "second call");
  await clock.advance(0);
  tool.reject("id-2", new Error("first call"));
  const turn = await running;

  expect(turn.recorder.ofType("tool_execution_end").map((event) => event.toolCallId)).toEqual([
    "id-3",
    "id-2",
  ]);
  expect(resultsOf(turn)).toEqual(["first call", "second call"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("the next request comes when all calls have their results, and carries them", async () => {
  const tool = deferredTool();
  const provider = scriptedProvider([reply(callTool("deferred"), callTool("gone")), say("Done")]);

  const running = runToEnd({ provider, tools: [tool] });
  await clock.advance(0);
  const before = provider.requests.length;
  tool.resolve("id-2", "done");
  const turn = await running;

  expect(before).toBe(1);
  expect(provider.requests[1]?.messages.slice(1)).toEqual(turn.messages.slice(0, 3));
});

test.each([
  ["its tool does not exist", callTool("gone"), "Available: echo"],
  ["its arguments are not JSON", callToolRaw("echo", "{not json"), "not valid JSON"],
  [
    "its arguments are so deep that no store could write them",
    callToolRaw("echo", `${"[".repeat(20_000)}${"]".repeat(20_000)}`),
    "nested too deeply",
  ],
  ["its input does not pass the check", callTool("echo", { bad: true }), "n: must be a number"],
])("a call is answered to the model and not run when %s", async (_, call, reason) => {
  const echo = echoTool({
    parseInput: () => ({ issues: [{ message: "must be a number", path: ["n"] }] }),
  });
  const provider = scriptedProvider([call, say("Sorry")]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.recorder.ofType("tool_execution_start")).toEqual([]);
  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining(reason),
  });
  expect(problemsOf(turn)).toEqual([]);
});

test("a tool gets what its own check made of the arguments", async () => {
  const echo = echoTool({ parseInput: async (input) => ({ value: { parsed: input } }) });

  await runToEnd({ provider: calling("echo"), tools: [echo] });

  expect(echo.started.map((call) => call.input)).toEqual([{ parsed: { n: 0 } }]);
});

test("a reply that was cut by its token limit runs none of its calls, and the model is told", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([
    reply(callTool("echo"), cutToolCall("echo", '{"n":')),
    say("Shorter, then"),
  ]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(resultsOf(turn)).toEqual([
    expect.stringContaining("token limit"),
    expect.stringContaining("token limit"),
  ]);
  expect(turn.finishReason).toBe("stop");
  expect(problemsOf(turn)).toEqual([]);
});

test("a reply that was stopped by a content filter runs none of its calls, and the turn ends", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([reply(callTool("echo"), finish("content-filter"))]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.finishReason).toBe("content-filter");
  expect(problemsOf(turn)).toEqual([]);
});

test("under skip-remaining, calls that have not started give way to what the user sent in the meantime", async () => {
  const waiting: ChatMessage[] = [];
  const tool: ToolContract = {
    ...echoTool(),
    execute: () => {
      waiting.push({ role: "user", id: `s${waiting.length}`, content: "Stop that" });
      return "done";
    },
  };

  const turn = await runToEnd({
    provider: calling("echo", "echo", "echo"),
    tools: [tool],
    dispatch: { mode: "sequential", steering: "skip-remaining" },
    journal: { hasSteering: () => waiting.length > 0 },
    drainSteering: () => waiting.splice(0),
  });

  expect(resultsOf(turn)).toEqual([
    "done",
    expect.stringContaining("Skipped"),
    expect.stringContaining("Skipped"),
  ]);
  expect(turn.messages[4]).toMatchObject({ role: "user", content: "Stop that" });
  expect(problemsOf(turn)).toEqual([]);
});
