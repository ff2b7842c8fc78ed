import type { Timer, ToolContract } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  manualClock,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf } from "./turn-problems.ts";
import { resultsOf } from "./unfinished-step.ts";

test("a tool that takes longer than its own limit is given up, told to stop, and the model learns of it", async () => {
  const clock = manualClock();
  const slow = deferredTool({ timeoutMs: 200 });
  const provider = scriptedProvider([callTool("deferred"), say("Oh")]);

  const turn = await clock.runUntil(
    runToEnd({ provider, tools: [slow], clock: { timer: clock.timer } }),
  );

  expect(clock.now()).toBe(200);
  expect(slow.aborted).toEqual(["id-2"]);
  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining("200 ms"),
  });
  expect(problemsOf(turn)).toEqual([]);
});

test("the limit of the turn holds for tools that state none, and a tool's own goes first", async () => {
  const clock = manualClock();
  const own = deferredTool({ name: "own", timeoutMs: 300 });
  const general = deferredTool({ name: "general" });
  const provider = scriptedProvider([reply(callTool("own"), callTool("general")), say("Oh")]);

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      tools: [own, general],
      clock: { timer: clock.timer },
      limits: { deadlines: { toolMs: 100 } },
    }),
  );

  expect(turn.recorder.ofType("tool_execution_end").map((event) => event.toolName)).toEqual([
    "general",
    "own",
  ]);
  expect(clock.now()).toBe(300);
});

test("with a clock, limits of calls that run together hold by themselves, on one timer", async () => {
  const clock = manualClock();
  const { now } = clock;
  const armed: number[] = [];
  const timer: Timer = (ms, fn) => {
    armed.push(ms);
    return clock.timer(ms, fn);
  };
  const own = deferredTool({ name: "own", timeoutMs: 300 });
  const general = deferredTool({ name: "general" });
  const provider = scriptedProvider([
    ...Array.from({ length: 20 }, () => callTool("echo")),
    reply(callTool("own"), callTool("general")),
    say("Oh"),
  ]);
  const deadlines = { toolMs: 100 };
  const tools = [own, general, echoTool()];

  const turn = await clock.runUntil(
    runToEnd({ provider, tools, now, clock: { timer }, limits: { deadlines } }),
  );

  const late = turn.recorder.ofType("tool_execution_end").slice(-2);
  expect(late.map(({ toolName, durationMs }) => [toolName, durationMs])).toEqual([
    ["general", 100],
    ["own", 300],
  ]);
  expect(armed.filter((ms) => ms <= 300)).toEqual([100, 200]);
  expect(clock.pending()).toBe(0);
});

test("what a tool says after its limit is dropped", async () => {
  const clock = manualClock();
  const slow = deferredTool({ timeoutMs: 200 });
  const provider = scriptedProvider([callTool("deferred"), say("Oh")]);

  const turn = await clock.runUntil(
    runToEnd({ provider, tools: [slow], clock: { timer: clock.timer } }),
  );
  slow.started[0]?.context.update("late");
  slow.resolve("id-2", "late");
  await clock.advance(0);

  expect(JSON.stringify([turn.events, turn.messages])).not.toContain("late");
});

test("a stream that takes longer than its limit is left", async () => {
  const clock = manualClock();
  const left: string[] = [];
  const tool: ToolContract = {
    ...echoTool({ timeoutMs: 200 }),
    execute: async function* (_, { signal }) {
      yield { type: "delta", delta: "a" };
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
      left.push("stopped");
    },
  };
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await clock.runUntil(
    runToEnd({ provider, tools: [tool], clock: { timer: clock.timer } }),
  );

  expect(left).toEqual(["stopped"]);
  expect(resultsOf(turn)).toEqual([expect.stringContaining("200 ms")]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a tool that ends in time leaves no timer", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  await runToEnd({
    provider,
    tools: [echoTool({ timeoutMs: 200 })],
    clock: { timer: clock.timer },
  });

  expect(clock.pending()).toBe(0);
});

test("without a timer a tool has no limit", async () => {
  const slow = deferredTool({ timeoutMs: 1 });
  const provider = scriptedProvider([callTool("deferred"), say("Done")]);

  const running = runToEnd({ provider, tools: [slow], limits: { deadlines: { toolMs: 1 } } });
  await slow.whenStarted();
  await manualClock().advance(10);
  slow.resolve("id-2", "at last");
  const turn = await running;

  expect(resultsOf(turn)).toEqual(["at last"]);
});

test("what a tool spent before its limit is counted", async () => {
  const clock = manualClock();
  const tool: ToolContract = {
    ...echoTool({ timeoutMs: 200 }),
    execute: (_, context) => {
      context.usage({ outputTokens: 7 });
      return new Promise(() => {});
    },
  };
  const provider = scriptedProvider([callTool("echo"), say("Oh")], { usage: { outputTokens: 1 } });

  const turn = await clock.runUntil(
    runToEnd({ provider, tools: [tool], clock: { timer: clock.timer } }),
  );

  expect(turn.usage).toEqual({ outputTokens: 9 });
});
