/** `drainSteering` is called at the tool-result boundary, and nowhere else. */
import type { ChatMessage, RunTurnInput, UserMessage } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  failAfter,
  failBefore,
  failingTool,
  pause,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";

const steer: UserMessage = { role: "user", id: "s1", content: "Only indoors, please." };

test("it is called after the results of a step and before the next request", async () => {
  const order: string[] = [];
  const note = (what: string): void => void order.push(what);
  const provider = scriptedProvider([
    () => {
      note("first request");
      return reply(callTool("echo"), callTool("echo"));
    },
    () => {
      note("second request");
      return say("Done");
    },
  ]);

  await runToEnd({
    provider,
    tools: [echoTool()],
    emit: (event) => event.type === "tool_execution_end" && note("result"),
    onStepComplete: () => note("step complete"),
    drainSteering: () => {
      note("drain");
      return [];
    },
  });

  expect(order).toEqual([
    "first request",
    "result",
    "result",
    "step complete",
    "drain",
    "second request",
    "step complete",
  ]);
});

test("what it returns follows the results, in the request as in the result of the turn", async () => {
  const waiting: ChatMessage[] = [steer, { ...steer, id: "s2" }];
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    drainSteering: () => waiting.splice(0),
  });

  expect(turn.messages.map((message) => message.role)).toEqual([
    "assistant",
    "tool",
    "user",
    "user",
    "assistant",
  ]);
  expect(turn.messages[2]).toBe(steer);
  expect(provider.requests[1]?.messages[3]).toBe(steer);
  expect(turn.recorder.ofType("steering_delivered")).toMatchObject([
    { ids: ["s1", "s2"], step: 1 },
  ]);
});

test("an empty answer changes nothing", async () => {
  const script = [callTool("echo"), say("Done")];
  const tools = [echoTool()];

  const without = await runToEnd({ provider: scriptedProvider(script), tools });
  const empty = await runToEnd({
    provider: scriptedProvider(script),
    tools,
    drainSteering: () => [],
  });

  expect(empty.events).toEqual(without.events);
});

test("calls that failed are results too: it is called after them", async () => {
  const waiting = [steer];
  const provider = scriptedProvider([reply(callTool("fail"), callTool("gone")), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [failingTool()],
    drainSteering: () => waiting.splice(0),
  });

  expect(turn.messages.map((message) => message.role)).toEqual([
    "assistant",
    "tool",
    "tool",
    "user",
    "assistant",
  ]);
});

test("a step that only failed once and was asked again drains once", async () => {
  let drains = 0;
  const provider = scriptedProvider([callTool("echo"), failBefore("overloaded"), say("Done")]);

  await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { retry: { maxAttempts: 2 } },
    drainSteering: () => {
      drains += 1;
      return [];
    },
  });

  expect(drains).toBe(1);
});

type Circumstance = readonly [string, readonly ScriptItem[], Partial<RunTurnInput>];

const tools = [echoTool(), remoteTool(), echoTool({ name: "finish", isTerminal: true })];

test.each<Circumstance>([
  ["after a step without tool calls", [say("Done")], {}],
  ["after a pause without tool calls", [reply(say("Wait"), pause()), say("Done")], {}],
  ["before the end that a terminal tool makes", [callTool("finish")], {}],
  ["before the end that stopWhen makes", [callTool("echo")], { limits: { stopWhen: () => true } }],
  ["when max-steps ends the turn", [callTool("echo")], { limits: { maxSteps: 1 } }],
  [
    "when max-steps ends the turn with a closing step",
    [callTool("echo"), say("I did this")],
    { limits: { maxSteps: 1, closing: { prompt: "Report" } } },
  ],
  [
    "when a limit ends the turn",
    [callTool("echo")],
    { limits: { checkLimits: ({ steps }) => (steps > 0 ? "budget-exceeded" : undefined) } },
  ],
  [
    "while a call waits for an answer from outside",
    [reply(callTool("echo"), callTool("remote"))],
    {},
  ],
  ["after an error", [failAfter(callTool("echo"), "invalid_request")], {}],
  ["before the first step", [failBefore("invalid_request")], {}],
])("it is not called %s", async (_, script, options) => {
  let drains = 0;
  const provider = scriptedProvider(script);

  const turn = await runToEnd({
    provider,
    tools,
    ...options,
    drainSteering: () => {
      drains += 1;
      return [steer];
    },
  });

  expect(drains).toBe(0);
  expect(turn.transcript).not.toContain(steer);
  provider.assertComplete();
});

test.each<readonly [string, (abort: () => void) => Partial<RunTurnInput>]>([
  ["while the step was being stored", (abort) => ({ onStepComplete: abort })],
  ["while a result was being reviewed", (abort) => ({ dispatch: { after: () => abort() } })],
  [
    "while the results were being shown",
    (abort) => ({ emit: ({ type }) => type === "step_end" && abort() }),
  ],
])("it is not called after an abort that came %s", async (_, options) => {
  const controller = new AbortController();
  let drains = 0;

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("echo")]),
    tools,
    signal: controller.signal,
    ...options(() => controller.abort()),
    drainSteering: () => {
      drains += 1;
      return [steer];
    },
  });

  expect(drains).toBe(0);
  expect(turn.finishReason).toBe("aborted");
});

test("it is not called after an abort that came while tools ran", async () => {
  const controller = new AbortController();
  const slow = deferredTool();
  let drains = 0;

  const running = runToEnd({
    provider: scriptedProvider([callTool("deferred")]),
    tools: [slow],
    signal: controller.signal,
    drainSteering: () => {
      drains += 1;
      return [steer];
    },
  });
  await slow.whenStarted();
  controller.abort();
  const turn = await running;

  expect(drains).toBe(0);
  expect(turn.finishReason).toBe("aborted");
});
