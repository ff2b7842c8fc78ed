import type { ChatMessage, Fact, OpenCall } from "@capstan/kernel";
import {
  callTool,
  callToolRaw,
  checkEvents,
  cutOff,
  cutToolCall,
  deferredTool,
  echoTool,
  failAfter,
  failBefore,
  failingTool,
  manualClock,
  native,
  pause,
  ping,
  refuse,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
  think,
  usage,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { user } from "./messages.ts";
import { problemsOf, rolesOf } from "./turn-problems.ts";

function failAtIntent(facts: readonly Fact[]): undefined {
  if (facts.some((fact) => fact.type === "tool_intent")) throw new Error("disk full");
}

test("a reply with everything in it is assembled and told without a fault", async () => {
  const provider = scriptedProvider([
    reply(
      ping(),
      think(["hm", "…"], { signature: "s1" }),
      say(["Hel", "lo"]),
      native({ citations: [1] }),
      callTool("search", { q: "x" }, { providerExecuted: true }),
      callTool("echo", { x: 1 }, { argumentDeltas: 4, id: "call_1" }),
      callTool("echo", { x: 2 }, { argumentDeltas: 0 }),
      usage({ inputTokens: 7, outputTokens: 3 }),
    ),
    reply(refuse("No"), usage({ inputTokens: 9 })),
  ]);

  const turn = await runToEnd({ provider, tools: [echoTool()] });

  expect(problemsOf(turn)).toEqual([]);
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "tool", "assistant"]);
  expect(turn.usage).toMatchObject({ inputTokens: 16, outputTokens: 3 });
  provider.assertComplete();
});

test("calls that cannot run are answered to the model", async () => {
  const provider = scriptedProvider([
    reply(callToolRaw("echo", "{not json"), callTool("gone"), callTool("fail")),
    reply(say("So"), cutToolCall("echo", '{"x":')),
    say("Sorry"),
  ]);
  const echo = echoTool();

  const turn = await runToEnd({ provider, tools: [echo, failingTool()] });

  expect(problemsOf(turn)).toEqual([]);
  expect(echo.started).toEqual([]);
  expect(
    turn.messages.filter((message) => message.role === "tool" && message.isError),
  ).toHaveLength(4);
  provider.assertComplete();
});

test("failed attempts are discarded, and a failure that stays ends the turn", async () => {
  const provider = scriptedProvider([
    failBefore("overloaded"),
    failAfter(say("Hel"), "network"),
    reply(say("Hel"), cutOff()),
    say("Hello"),
  ]);

  const turn = await runToEnd({ provider, retry: { maxAttempts: 4 } });

  expect(problemsOf(turn)).toEqual([]);
  expect(turn.recorder.text()).toBe("Hello");
  expect(turn.recorder.ofType("attempt_discarded")).toHaveLength(3);
});

test("a reply that fails in the middle keeps its text and runs none of its calls", async () => {
  const provider = scriptedProvider([
    failAfter(think("hm"), say("Let me"), callTool("echo"), "invalid_request"),
  ]);
  const echo = echoTool();

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(problemsOf(turn)).toEqual([]);
  expect(turn.finishReason).toBe("error");
  expect(turn.messages).toMatchObject([
    { stopReason: "error", content: [{ type: "text", text: "Let me" }] },
  ]);
  expect(echo.started).toEqual([]);
});

test("a pause is gone on with, and the tail is what the model sees", async () => {
  const provider = scriptedProvider([reply(say("First"), pause()), say("second")]);

  const turn = await runToEnd({ provider });

  expect(problemsOf(turn)).toEqual([]);
  expect(rolesOf(turn)).toEqual(["assistant", "assistant"]);
  expect(provider.requests[1]?.messages.at(-1)).toEqual(turn.messages[0]);
});

test("a silent provider is given up at its deadline and asked again", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([reply(say("Hel"), stall()), say("Hello")]);

  const running = runToEnd({
    provider,
    now: clock.now,
    timer: clock.timer,
    retry: { maxAttempts: 2 },
    deadlines: { betweenPartsMs: 1_000 },
  });
  await clock.advance(5_000);
  const turn = await running;

  expect(problemsOf(turn)).toEqual([]);
  expect(turn.recorder.text()).toBe("Hello");
  expect(provider.openStreams).toBe(0);
  expect(clock.pending()).toBe(0);
});

test("results stand in call order, whatever the order in which the tools end", async () => {
  const tool = deferredTool();
  const provider = scriptedProvider([
    reply(callTool("deferred", { n: 1 }), callTool("deferred", { n: 2 })),
    say("Done"),
  ]);

  const running = runToEnd({ provider, tools: [tool] });
  const [first, second] = await tool.whenStarted(2);
  tool.resolve(second?.toolCallId ?? "", "two");
  await manualClock().advance(0);
  tool.reject(first?.toolCallId ?? "", new Error("one failed"));
  const turn = await running;

  expect(problemsOf(turn)).toEqual([]);
  expect(turn.messages).toMatchObject([
    {},
    { content: "one failed", isError: true },
    { content: "two", isError: false },
    {},
  ]);
});

test("a remote call suspends the turn, and its answer continues it", async () => {
  const provider = scriptedProvider([
    reply(callTool("remote", { f: 1 }), callTool("echo", { x: 1 })),
    say("Done"),
  ]);
  const tools = [remoteTool(), echoTool()];

  const suspended = await runToEnd({ provider, tools });
  const answered = (suspended.open ?? []).map((call): OpenCall =>
    call.state === "pending"
      ? { callId: call.callId, state: "settled", result: { isError: false, output: "picked" } }
      : call,
  );
  const continued = await runToEnd({
    provider,
    tools,
    messages: suspended.transcript,
    open: answered,
    turnId: "t2",
    continues: "t1",
    prior: suspended.progress,
    newId: () => "last",
  });

  expect(problemsOf(suspended)).toEqual([]);
  expect(suspended.pending?.map((call) => call.kind)).toEqual(["execution"]);
  expect(problemsOf(continued)).toEqual([]);
  expect(rolesOf(continued)).toEqual(["tool", "tool", "assistant"]);
  provider.assertComplete();
});

test("steering is delivered behind the results", async () => {
  const waiting: ChatMessage[][] = [[user("s1", "Only indoors")], []];
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    drainSteering: () => waiting.shift() ?? [],
  });

  expect(problemsOf(turn)).toEqual([]);
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "user", "assistant"]);
});

test("the last step reports without calling tools", async () => {
  const provider = scriptedProvider([callTool("echo"), reply(say("I did"), callTool("echo"))]);
  const echo = echoTool();

  const turn = await runToEnd({
    provider,
    tools: [echo],
    maxSteps: 1,
    closing: { prompt: "Report" },
  });

  expect(problemsOf(turn)).toEqual([]);
  expect(turn.finishReason).toBe("max-steps");
  expect(provider.requests[1]?.toolChoice).toBe("none");
  expect(echo.started).toHaveLength(1);
});

test("a journal that fails ends the events with an error", async () => {
  const provider = scriptedProvider([callTool("echo"), say("Done")]);
  const echo = echoTool();

  const turn = await runToEnd({ provider, tools: [echo], journal: failAtIntent });

  expect(checkEvents(turn.events)).toEqual([]);
  expect(turn.error?.code).toBe("journal_failed");
  expect(echo.started).toEqual([]);
});

test("a reply that says nothing leaves no message", async () => {
  const provider = scriptedProvider([[]]);

  const turn = await runToEnd({ provider });

  expect(problemsOf(turn)).toEqual([]);
  expect(turn.messages).toEqual([]);
});
