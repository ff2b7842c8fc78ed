import type { Fact, Journal, JournalReply, ToolContract } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  failBefore,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { factsOfType, keepDiary } from "./diary.ts";
import type { Diary } from "./diary.ts";
import { ticksUntil } from "./ticks.ts";

function notingTool({ note }: Diary, overrides: Partial<ToolContract> = {}): ToolContract {
  return {
    ...echoTool(),
    execute: () => {
      note("tool");
      return "done";
    },
    ...overrides,
  };
}

/** Holds on to results until the gate of its call is opened. */
function journalWithGates() {
  const calls: Fact["type"][][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const journal: Journal = async (facts) => {
    calls.push(facts.map((fact) => fact.type));
    if (!facts.some((fact) => fact.type === "tool_result")) return;
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
  };
  return { calls, gates, journal };
}

test("each fact is recorded before what it announces is shown or done", async () => {
  const diary = keepDiary();
  const provider = diary.watch(scriptedProvider([callTool("echo")]));

  await runToEnd({ ...diary.hooks, provider, tools: [notingTool(diary)], limits: { maxSteps: 1 } });

  expect(diary.entries).toEqual([
    "event turn_start",
    "fact attempt",
    "event step_start",
    "event attempt_start",
    "event message_start",
    "effect request",
    "fact message",
    "fact attempt_ended",
    "fact tool_intent",
    "event message_end",
    "event tool_execution_start",
    "effect tool",
    "fact tool_result",
    "event tool_execution_end",
    "event message_start",
    "event message_end",
    "event step_end",
    "fact turn_ended",
    "event turn_end",
  ]);
});

test("a journal that takes its time holds back what it is told, and no more", async () => {
  const diary = keepDiary();
  const gate = Promise.withResolvers<void>();
  const journal = (facts: readonly Fact[]): JournalReply | Promise<void> => {
    const isIntent = facts.some((fact) => fact.type === "tool_intent");
    return isIntent ? gate.promise : undefined;
  };
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const running = runToEnd({
    ...diary.hooks,
    provider,
    tools: [notingTool(diary)],
    journal: { record: journal },
  });
  await manualClock().advance(0);
  const before = [...diary.entries];
  gate.resolve();
  await running;

  expect(before.at(-1)).toBe("event message_start");
  expect(diary.entries.slice(before.length, before.length + 3)).toEqual([
    "event message_end",
    "event tool_execution_start",
    "effect tool",
  ]);
});

test("a failed attempt is recorded before it is taken back and before the next is made", async () => {
  const diary = keepDiary();
  const provider = diary.watch(scriptedProvider([failBefore("overloaded"), say("Hello")]));

  await runToEnd({ ...diary.hooks, provider, limits: { retry: { maxAttempts: 2 } } });

  expect(diary.entries.slice(5, 12)).toEqual([
    "effect request",
    "fact attempt_ended",
    "event attempt_discarded",
    "fact attempt",
    "event attempt_start",
    "event message_start",
    "effect request",
  ]);
});

test("steering is recorded before it is shown and before it is sent", async () => {
  const diary = keepDiary();
  const provider = diary.watch(scriptedProvider([callTool("echo"), say("Done")]));
  const steering = [[{ role: "user", id: "s1", content: "Only indoors" } as const]];

  await runToEnd({
    ...diary.hooks,
    provider,
    tools: [echoTool()],
    drainSteering: () => steering.shift() ?? [],
  });

  const at = diary.entries.indexOf("fact steering_delivered");
  expect(diary.entries.slice(at, at + 4)).toEqual([
    "fact steering_delivered",
    "event steering_delivered",
    "event message_start",
    "event message_end",
  ]);
  expect(diary.entries.lastIndexOf("effect request")).toBeGreaterThan(at);
});

test("a remote call is recorded as waiting with its message, before it is shown", async () => {
  const diary = keepDiary();
  const provider = scriptedProvider([callTool("remote", { f: 1 })]);

  await runToEnd({ ...diary.hooks, provider, tools: [remoteTool()] });

  const [fact] = factsOfType(diary.facts, "pending");
  expect(fact?.pending).toMatchObject([{ kind: "execution", input: { f: 1 } }]);
  expect(diary.calls).toContainEqual(["message", "pending", "attempt_ended"]);
  expect(diary.entries.indexOf("event awaiting_tool_execution")).toBeGreaterThan(
    diary.entries.indexOf("fact message"),
  );
});

test("an approval is recorded as requested before it is shown", async () => {
  const diary = keepDiary();
  const provider = scriptedProvider([callTool("echo")]);

  await runToEnd({ ...diary.hooks, provider, tools: [notingTool(diary, { needsApproval: true })] });

  expect(diary.entries.slice(-5)).toEqual([
    "event message_end",
    "fact pending",
    "event awaiting_tool_execution",
    "fact turn_ended",
    "event turn_end",
  ]);
});

test("the request for a closing report is recorded before it is shown and sent", async () => {
  const diary = keepDiary();
  const provider = diary.watch(scriptedProvider([say("I did nothing")]));

  await runToEnd({
    ...diary.hooks,
    provider,
    limits: { maxSteps: 0, closing: { prompt: "Report" } },
  });

  expect(diary.entries.slice(1, 4)).toEqual([
    "fact message",
    "event message_start",
    "event message_end",
  ]);
});

test("facts that settle together come in one call", async () => {
  const diary = keepDiary();
  const controller = new AbortController();
  const tool = deferredTool();
  const provider = scriptedProvider([reply(callTool("deferred"), callTool("deferred"))]);

  const running = runToEnd({
    ...diary.hooks,
    provider,
    tools: [tool],
    signal: controller.signal,
  });
  await tool.whenStarted(2);
  controller.abort();
  await running;

  expect(diary.calls.filter((call) => call.length > 1)).toEqual([
    ["message", "attempt_ended", "tool_intent", "tool_intent"],
    ["message", "turn_ended"],
  ]);
});

test("calls that are refused together are recorded in one call", async () => {
  const diary = keepDiary();
  const provider = scriptedProvider([reply(callTool("gone"), callTool("gone")), say("Sorry")]);

  await runToEnd({ ...diary.hooks, provider });

  expect(diary.calls[2]).toEqual(["tool_result", "tool_result"]);
});

test("what settles while the journal is busy goes with its next call, and never two calls are under way", async () => {
  const { calls, gates, journal } = journalWithGates();
  const tool = deferredTool({ effect: "pure" });
  const clock = manualClock();
  const provider = scriptedProvider([
    reply(callTool("deferred"), callTool("deferred"), callTool("deferred")),
    say("Done"),
  ]);

  const running = runToEnd({ provider, tools: [tool], journal: { record: journal } });
  const [first, second, third] = await tool.whenStarted(3);
  tool.resolve(first?.toolCallId ?? "", "1");
  await clock.advance(0);
  tool.resolve(second?.toolCallId ?? "", "2");
  tool.resolve(third?.toolCallId ?? "", "3");
  await clock.advance(0);
  const underWay = gates.length;
  gates[0]?.resolve();
  await clock.advance(0);
  gates[1]?.resolve();
  await running;

  expect(underWay).toBe(1);
  expect(calls.slice(2, 4)).toEqual([["tool_result"], ["tool_result", "tool_result"]]);
});

test("a synchronous journal adds no waiting", async () => {
  const script = [reply(callTool("echo"), callTool("echo")), callTool("remote")];
  const tools = [echoTool(), remoteTool()];
  const { journal } = keepDiary().hooks;

  const without = await ticksUntil(runToEnd({ provider: scriptedProvider(script), tools }));
  const withJournal = await ticksUntil(
    runToEnd({ provider: scriptedProvider(script), tools, journal }),
  );

  expect(withJournal).toBe(without);
});

test("a pure tool leaves no intent, and another one names its input only if a hook altered it", async () => {
  const { facts, hooks } = keepDiary();
  const provider = scriptedProvider([
    reply(callTool("pure"), callTool("echo", { n: 1 }), callTool("echo", { n: 2 })),
    say("Done"),
  ]);

  await runToEnd({
    ...hooks,
    provider,
    tools: [echoTool({ name: "pure", effect: "pure" }), echoTool()],
    dispatch: {
      before: ({ input }) =>
        JSON.stringify(input) === '{"n":2}' ? { action: "alter", input: { n: 20 } } : undefined,
    },
  });

  expect(factsOfType(facts, "tool_intent")).toEqual([
    { type: "tool_intent", step: 1, toolCallId: "id-3", key: expect.any(String) },
    { type: "tool_intent", step: 1, toolCallId: "id-4", key: expect.any(String), input: { n: 20 } },
  ]);
});
