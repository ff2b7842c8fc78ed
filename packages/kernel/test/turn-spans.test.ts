/** The spans of a turn: which there are, how they nest, and that each of them ends. */
import type { AssistantMessage, Journal, RunTurnInput } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  failAfter,
  failBefore,
  failingTool,
  hang,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
} from "@capstan/testing";
import type { RunToEndOptions, ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { overlay } from "./overlay.ts";
import { recordSpans } from "./record-spans.ts";

test("a turn, its steps, their attempts and their tools are spans within each other", async () => {
  const { logger, tree, problems } = recordSpans();
  const provider = scriptedProvider([
    reply(callTool("echo"), callTool("fail")),
    failBefore("overloaded"),
    say("Done"),
  ]);

  await runToEnd({
    provider,
    tools: [echoTool(), failingTool()],
    limits: { retry: { maxAttempts: 2 } },
    logger,
  });

  expect(tree()).toBe("turn(step(attempt tool tool) step(attempt attempt))");
  expect(problems()).toEqual([]);
});

test("a span ends with what it stands for, not later", async () => {
  const { logger, order } = recordSpans();
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  await runToEnd({ provider, tools: [echoTool()], logger });

  expect(order).toEqual([
    "start turn",
    ...["start step", "start attempt", "end attempt", "start tool", "end tool", "end step"],
    ...["start step", "start attempt", "end attempt", "end step"],
    "end turn",
  ]);
});

test("every span has ended when the end of the turn is shown", async () => {
  const { logger, order } = recordSpans();
  const provider = scriptedProvider([callTool("remote")]);
  const seen: (readonly string[])[] = [];

  await runToEnd({
    provider,
    tools: [remoteTool()],
    logger,
    emit: (event) => {
      if (event.type === "turn_end") seen.push([...order]);
    },
  });

  expect(seen).toEqual([order]);
});

test("a tool of a resumed step is within its turn", async () => {
  const { logger, tree } = recordSpans();
  const open = [{ toolCallId: "k1", state: "approved" }] as const;

  await runToEnd({
    provider: scriptedProvider([say("Done")]),
    tools: [echoTool()],
    messages: [calling],
    journal: { open },
    logger,
  });

  expect(tree()).toBe("turn(tool step(attempt))");
});

test("the span of an attempt or a tool that failed ends with an error, the others without", async () => {
  const { logger, spans } = recordSpans();
  const provider = scriptedProvider([
    failBefore("overloaded"),
    reply(callTool("echo"), callTool("fail")),
    say("Done"),
  ]);

  await runToEnd({
    provider,
    tools: [echoTool(), failingTool()],
    limits: { retry: { maxAttempts: 2 } },
    logger,
  });

  expect(spans.map((span) => [span.name, span.error !== undefined])).toEqual([
    ["turn", false],
    ["step", false],
    ["attempt", true],
    ["attempt", false],
    ["tool", false],
    ["tool", true],
    ["step", false],
    ["attempt", false],
  ]);
});

test("without a logger there is none for tools either", async () => {
  const echo = echoTool();

  await runToEnd({ provider: scriptedProvider([callTool("echo"), say("Done")]), tools: [echo] });

  expect(echo.started[0]?.context.logger).toBeUndefined();
});

test("a tool gets the logger of its turn", async () => {
  const { logger } = recordSpans();
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  await runToEnd({ provider, tools: [echo], logger });

  expect(echo.started[0]?.context.logger).toBe(logger);
});

const calling: AssistantMessage = {
  role: "assistant",
  id: "a1",
  content: [{ type: "tool_call", id: "k1", name: "echo", input: {} }],
  stopReason: "tool-calls",
};

type Circumstance = readonly [string, readonly ScriptItem[], Partial<RunTurnInput>];

const throws = (): never => {
  throw new Error("broken");
};

test.each<Circumstance>([
  ["an error before any content", [failBefore("auth")], {}],
  ["an error after partial content", [failAfter(say("Hel"), "auth")], {}],
  ["an empty reply", [say("")], {}],
  ["a suspension", [reply(callTool("remote"), callTool("echo"))], {}],
  ["a resumed step", [say("Done")], { messages: [calling], journal: { open: [] } }],
  ["a limit", [callTool("echo")], { limits: { maxSteps: 1, closing: { prompt: "Report" } } }],
  ["a context that cannot be made", [], { context: { transformContext: throws } }],
  ["a hook that fails", [callTool("echo"), say("Done")], { dispatch: { before: throws } }],
  ["a step that cannot be stored", [callTool("echo")], { onStepComplete: throws }],
  ["steering that fails", [callTool("echo")], { drainSteering: throws }],
  [
    "an error that `onOverflow` cannot answer",
    [failBefore("context_overflow")],
    { context: { onOverflow: throws } },
  ],
  ["an id that cannot be made", [], { clock: { newId: throws } }],
  ["a retry that cannot be timed", [failBefore("overloaded")], { clock: { random: throws } }],
])("every span ends once after %s", async (_, script, options) => {
  const { logger, spans, problems } = recordSpans();

  const input: RunToEndOptions = {
    provider: scriptedProvider(script),
    tools: [echoTool(), remoteTool()],
    limits: { retry: { maxAttempts: 2 } },
    logger,
  };
  await runToEnd(overlay(input, options));

  expect(spans.length).toBeGreaterThan(0);
  expect(problems()).toEqual([]);
});

test.each<readonly [string, readonly ScriptItem[]]>([
  ["in a reply", [reply(say("Hel"), stall())]],
  ["in a reply of a deaf provider", [reply(say("Hel"), hang())]],
  ["before the first part", [stall()]],
  ["while tools run that obey and that do not", [reply(callTool("obedient"), callTool("deaf"))]],
])("every span ends once after an abort %s", async (_, script) => {
  const clock = manualClock();
  const controller = new AbortController();
  const { logger, problems } = recordSpans();
  const tools = [
    deferredTool({ name: "obedient", settlesOnAbort: true }),
    deferredTool({ name: "deaf" }),
  ];

  const running = runToEnd({
    provider: scriptedProvider(script),
    tools,
    signal: controller.signal,
    clock: { timer: clock.timer },
    logger,
  });
  await clock.advance(0);
  controller.abort();
  const turn = await clock.runUntil(running);

  expect(turn.finishReason).toBe("aborted");
  expect(problems()).toEqual([]);
});

function failingAt(call: number): Journal {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === call ? throws() : undefined;
  };
}

test.each([1, 2, 3, 4, 5, 6])(
  "every span ends once when call %i of the journal fails",
  async (failing) => {
    const { logger, spans, problems } = recordSpans();
    const provider = scriptedProvider([callTool("echo"), say("Done")]);

    const turn = await runToEnd({
      provider,
      tools: [echoTool()],
      logger,
      journal: { record: failingAt(failing) },
    });

    expect(turn.error?.code).toBe("journal_failed");
    expect(spans.length).toBeGreaterThan(0);
    expect(problems()).toEqual([]);
  },
);

test("every span ends once when a tool runs out of time", async () => {
  const clock = manualClock();
  const { logger, problems } = recordSpans();
  const provider = scriptedProvider([callTool("deferred"), say("Done")]);

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      tools: [deferredTool({ timeoutMs: 10 })],
      clock: { timer: clock.timer },
      logger,
    }),
  );

  expect(turn.finishReason).toBe("stop");
  expect(problems()).toEqual([]);
});
