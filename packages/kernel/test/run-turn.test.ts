/** The input and the result of `runTurn`, field by field. Steering and spans have files of their own. */
import { runTurn } from "@capstan/kernel";
import type {
  AssistantMessage,
  ChatMessage,
  Fact,
  ProviderContract,
  ProviderStreamOptions,
} from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  failBefore,
  finish,
  manualClock,
  recordEvents,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  usage,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";

const history: readonly ChatMessage[] = [
  { role: "system", id: "sys", content: "Be brief." },
  { role: "user", id: "u0", content: [{ type: "text", text: "Hi" }] },
  { role: "assistant", id: "a0", content: [{ type: "text", text: "Hi" }], stopReason: "stop" },
  { role: "user", id: "u1", content: "Hello" },
];

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

test("messages: the provider gets the same objects, and nothing of them is changed", async () => {
  const messages = frozen(structuredClone(history));
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  await runToEnd({ provider, messages, tools: [echoTool()] });

  expect(messages).toEqual(history);
  const first = provider.requests[0]?.messages ?? [];
  const second = provider.requests[1]?.messages.slice(0, 4) ?? [];
  expect(first.map((message, at) => message === messages[at])).toEqual([true, true, true, true]);
  expect(second.map((message, at) => message === messages[at])).toEqual([true, true, true, true]);
});

test("messages: a long history is not even read if the provider does not ask for it", async () => {
  let reads = 0;
  const messages = new Proxy(
    Array.from({ length: 1_000 }, (_, at): ChatMessage => {
      return { role: "user", id: `u${at}`, content: "Hello" };
    }),
    {
      get(target, key, receiver) {
        reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  const provider: ProviderContract = {
    id: "blind",
    async *stream() {
      yield { type: "text_delta", delta: "Hi" };
      yield { type: "finish", reason: "stop" };
    },
  };

  await runTurn({
    provider,
    messages,
    tools: [],
    dispatch: {},
    emit: () => {},
    conversationId: "c1",
    turnId: "t1",
  });

  expect(reads).toBeLessThan(20);
});

test("tools: the provider gets their declarations; there may be none", async () => {
  const provider = scriptedProvider([say("Done"), say("Done")]);

  await runToEnd({ provider, tools: [echoTool(), remoteTool()] });
  await runToEnd({ provider, tools: [] });

  expect(provider.requests.map((request) => request.tools)).toEqual([["echo", "remote"], []]);
});

test("conversationId, turnId: every event, request and tool has those that were given", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo"), failBefore("overloaded"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echo],
    conversationId: "my-conversation",
    turnId: "my-turn",
    limits: { retry: { maxAttempts: 2 } },
  });

  const places = [
    ...turn.events,
    ...provider.requests,
    ...echo.started.map((call) => call.context),
  ];
  expect([...new Set(places.map((place) => place.conversationId))]).toEqual(["my-conversation"]);
  expect([...new Set(places.map((place) => place.turnId))]).toEqual(["my-turn"]);
});

test("providerOpts: forwarded as they are to every attempt, and never read", async () => {
  const providerOpts: ProviderStreamOptions = new Proxy(
    {},
    {
      get: (_, key) => {
        throw new Error(`${String(key)} was read`);
      },
    },
  );
  const provider = scriptedProvider([callTool("echo"), failBefore("overloaded"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    providerOpts,
    limits: { retry: { maxAttempts: 2 } },
  });

  expect(turn.finishReason).toBe("stop");
  expect(provider.requests.map((request) => request.options === providerOpts)).toEqual([
    true,
    true,
    true,
  ]);
});

test("cwd: every tool gets it as it is, and the model never does", async () => {
  const cwd = "/somewhere/very/special";
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const turn = await runToEnd({ provider, tools: [echo], cwd });

  expect(echo.started.map((call) => call.context.cwd)).toEqual([cwd]);
  expect(JSON.stringify(provider.requests)).not.toContain(cwd);
  expect(JSON.stringify([turn.events, turn.messages])).not.toContain(cwd);
});

test("cwd: without it tools are told so", async () => {
  const echo = echoTool();

  await runToEnd({ provider: scriptedProvider([callTool("echo"), say("Done")]), tools: [echo] });

  expect(echo.started[0]?.context.cwd).toBeUndefined();
});

const timingFields = /"(timing|durationMs|ttftMs|decodeMs|totalMs|startedAt|deadlineAt)":/;

test("now: without it no event, fact or result has a time in it", async () => {
  const facts: Fact[] = [];
  const provider = scriptedProvider([
    callTool("echo"),
    failBefore("overloaded"),
    callTool("remote"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool(), remoteTool({ answerWithinMs: 1_000 })],
    limits: { retry: { maxAttempts: 2 } },
    journal: { record: (recorded) => void facts.push(...recorded) },
  });

  expect(turn.pending).toHaveLength(1);
  expect(JSON.stringify([turn.events, facts, turn.progress])).not.toMatch(timingFields);
});

test("now: with it steps, tools and the turn say how long they took", async () => {
  const clock = manualClock(1_000);
  const pass = (ms: number): ReturnType<typeof wait> => wait(() => clock.advance(ms));
  const slow = deferredTool();
  const provider = scriptedProvider([
    reply(pass(20), callTool("deferred"), pass(30)),
    reply(pass(5), say("Done")),
  ]);

  const running = runToEnd({ provider, tools: [slow], now: clock.now });
  const [call] = await slow.whenStarted();
  await clock.advance(400);
  slow.resolve(call?.toolCallId ?? "", "ok");
  const turn = await running;

  expect(turn.recorder.ofType("step_end").map((event) => event.timing)).toEqual([
    { ttftMs: 20, decodeMs: 30, totalMs: 50 },
    { ttftMs: 5, decodeMs: 0, totalMs: 5 },
  ]);
  expect(turn.recorder.ofType("tool_execution_end")).toMatchObject([{ durationMs: 400 }]);
  expect(turn.recorder.ofType("turn_end")).toMatchObject([{ durationMs: 455 }]);
});

test("onStepComplete: gets each finished step with the objects that the result has", async () => {
  const steps: (readonly ChatMessage[])[] = [];
  const provider = scriptedProvider([
    reply(callTool("echo", { n: 1 }), callTool("echo", { n: 2 })),
    say("Done"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    onStepComplete: (messages) => void steps.push(messages),
  });

  expect(steps.map((step) => step.map((message) => message.role))).toEqual([
    ["assistant", "tool", "tool"],
    ["assistant"],
  ]);
  expect(steps.flat().map((message, at) => message === turn.messages[at])).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test("onStepComplete: the next request waits until it is done", async () => {
  const stored = Promise.withResolvers<void>();
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const running = runToEnd({
    provider,
    tools: [echoTool()],
    onStepComplete: () => stored.promise,
  });
  await manualClock().advance(0);
  const requestsBefore = provider.requests.length;
  stored.resolve();
  await running;

  expect(requestsBefore).toBe(1);
  expect(provider.requests).toHaveLength(2);
});

test("the result: new messages only, the usage of all steps, and why the turn ended", async () => {
  const provider = scriptedProvider([
    reply(callTool("echo"), usage({ inputTokens: 10, outputTokens: 1 })),
    reply(say("Done"), usage({ inputTokens: 20, cacheReadTokens: 10 })),
  ]);

  const result = await runToEnd({ provider, messages: history, tools: [echoTool()] });

  expect(result.messages.map((message) => message.role)).toEqual([
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 1, cacheReadTokens: 10 });
  expect(result.finishReason).toBe("stop");
});

test.each(["stop", "length", "content-filter", "vendor-specific-reason"])(
  "the finish reason %s passes through from the provider to message, step, turn and result",
  async (reason) => {
    const recorder = recordEvents();

    const result = await runToEnd({
      provider: scriptedProvider([reply(say("Hi"), finish(reason))]),
      emit: recorder.emit,
    });

    const message = result.messages[0] as AssistantMessage;
    const [step] = recorder.ofType("step_end");
    const [turn] = recorder.ofType("turn_end");
    expect([message.stopReason, step?.finishReason, turn?.finishReason]).toEqual([
      reason,
      reason,
      reason,
    ]);
    expect(result.finishReason).toBe(reason);
  },
);
