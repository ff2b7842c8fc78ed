/** Streams that fail, hang or end too early. */
import { LiveView } from "@capstan/kernel";
import {
  assertValidEvents,
  assertValidTranscript,
  callTool,
  callToolRaw,
  cutOff,
  cutToolCall,
  deferredTool,
  echoTool,
  failAfter,
  failBefore,
  finish,
  hang,
  manualClock,
  ping,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
  usage,
  wait,
} from "@capstan/testing";
import type { ManualClock, ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";

test("after an error in the middle the text is there once, and all usage is counted", async () => {
  const provider = scriptedProvider([
    failAfter(usage({ inputTokens: 5 }), say(["Hel", "lo wor"]), "network"),
    reply(say("Hello world"), usage({ inputTokens: 5, outputTokens: 3 })),
  ]);
  const view = new LiveView();
  const shown: unknown[] = [];

  const turn = await runToEnd({
    provider,
    limits: { retry: { maxAttempts: 2 } },
    emit: (event) => {
      view.apply(event);
      shown.push(...(event.type === "text_end" ? [view.snapshot().message?.content] : []));
    },
  });

  expect(turn.messages).toMatchObject([{ role: "assistant", content: [{ text: "Hello world" }] }]);
  expect(turn.recorder.text()).toBe("Hello world");
  expect(shown.at(-1)).toEqual([{ type: "text", text: "Hello world" }]);
  expect(turn.usage).toEqual({ inputTokens: 10, outputTokens: 3 });
  assertValidEvents(turn.events);
});

test("an error in the middle neither repeats finished tools nor runs those of the broken reply", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([
    callTool("echo", { n: 1 }),
    failAfter(callTool("echo", { n: 2 }), "overloaded"),
    reply(callTool("echo", { n: 3 })),
    say("Done"),
  ]);

  const turn = await runToEnd({ provider, tools: [echo], limits: { retry: { maxAttempts: 2 } } });

  expect(echo.started.map((call) => call.input)).toEqual([{ n: 1 }, { n: 3 }]);
  expect(turn.finishReason).toBe("stop");
  assertValidTranscript(turn.transcript);
});

test("an error that stays keeps the work so far, and the model never sees the broken reply", async () => {
  const provider = scriptedProvider([
    callTool("echo", { n: 1 }),
    failAfter(say("Hel"), "invalid_request"),
    say("Hello"),
  ]);
  const tools = [echoTool()];

  const failed = await runToEnd({ provider, tools });
  const next = await runToEnd({
    provider,
    tools,
    messages: failed.transcript,
    input: [{ role: "user", id: "u2", content: "Again" }],
    clock: { newId: () => "last" },
  });

  expect(failed.messages).toMatchObject([
    { role: "assistant" },
    { role: "tool", isError: false },
    { content: [{ text: "Hel" }], stopReason: "error", error: { code: "invalid_request" } },
  ]);
  expect(provider.requests[2]?.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "user",
  ]);
  assertValidTranscript(next.transcript);
});

/** A sign of life every 100 ms, for ever. */
function pinging(clock: ManualClock): ScriptItem {
  const later = (): Promise<void> => new Promise((resolve) => clock.timer(100, resolve));
  return Array.from({ length: 1_000 }, () => [ping(), wait(later)]);
}

test.each<readonly [string, (clock: ManualClock) => ScriptItem, number]>([
  ["no first part", () => stall(), 1_000],
  ["no next part", () => reply(say("Hel"), stall()), 500],
  ["no end of the whole attempt", pinging, 3_000],
  ["no first part, and it ignores its signal", () => hang(), 1_000],
])("a provider that sends %s is given up and asked again", async (_, item, limitMs) => {
  const clock = manualClock();
  const provider = scriptedProvider([item(clock), say("Hello")]);
  const discardedAt: number[] = [];

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      clock: { timer: clock.timer },
      now: clock.now,
      limits: {
        retry: { maxAttempts: 2, baseDelayMs: 0 },
        deadlines: { firstPartMs: 1_000, betweenPartsMs: 500, attemptMs: 3_000 },
      },
      emit: (event) => event.type === "attempt_discarded" && discardedAt.push(clock.now()),
    }),
  );

  expect(discardedAt).toHaveLength(1);
  expect(discardedAt[0]).toBeGreaterThanOrEqual(limitMs);
  expect(discardedAt[0]).toBeLessThanOrEqual(limitMs * 1.25);
  expect(provider.requests[0]?.signal.aborted).toBe(true);
  expect(turn.recorder.text()).toBe("Hello");
  assertValidEvents(turn.events);
});

test("a later attempt is given up as soon as the first would be", async () => {
  const clock = manualClock();
  const later = (): Promise<void> => new Promise((resolve) => clock.timer(1_500, resolve));
  const provider = scriptedProvider([
    reply(say("Hel"), wait(later), failBefore("overloaded")),
    stall(),
    say("Hello"),
  ]);
  const discardedAt: number[] = [];

  await clock.runUntil(
    runToEnd({
      provider,
      clock: { timer: clock.timer },
      now: clock.now,
      limits: {
        retry: { maxAttempts: 3, baseDelayMs: 0 },
        deadlines: { firstPartMs: 1_000, betweenPartsMs: 60_000 },
      },
      emit: (event) => event.type === "attempt_discarded" && discardedAt.push(clock.now()),
    }),
  );

  expect(discardedAt).toEqual([1_500, 2_500]);
});

test("without deadlines of its own a turn still gives up on silence", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([stall()]);

  const turn = await clock.runUntil(
    runToEnd({ provider, clock: { timer: clock.timer }, now: clock.now }),
  );

  expect(turn.finishReason).toBe("error");
  expect(clock.now()).toBe(300_000);
});

test("a tool that hangs is given up, and the model is told", async () => {
  const clock = manualClock();
  const slow = deferredTool({ timeoutMs: 2_000 });
  const provider = scriptedProvider([callTool("deferred"), say("Too slow")]);

  const turn = await clock.runUntil(
    runToEnd({ provider, tools: [slow], clock: { timer: clock.timer }, now: clock.now }),
  );

  expect(slow.aborted).toHaveLength(1);
  expect(turn.messages).toMatchObject([
    {},
    { role: "tool", isError: true, content: expect.stringContaining("2000 ms") },
    { content: [{ text: "Too slow" }] },
  ]);
});

test.each<readonly [string, ScriptItem]>([
  ["was cut by the token limit inside its arguments", cutToolCall("echo", '{"path":"a","tex')],
  ["was whole, but its reply was cut", reply(callTool("echo", { path: "a" }), finish("length"))],
  ["has arguments that are not JSON", callToolRaw("echo", '{"path":"a"')],
  [
    "looks whole, though the provider never said so",
    reply(cutToolCall("echo", '{"path":"a"}'), finish("tool-calls")),
  ],
])("a call that %s never runs, and the model is told", async (_, item) => {
  const echo = echoTool();
  const provider = scriptedProvider([item, say("I see")]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.messages).toMatchObject([
    { role: "assistant", content: [{ type: "tool_call" }] },
    { role: "tool", isError: true, content: expect.stringContaining("Not run") },
    { role: "assistant", content: [{ text: "I see" }] },
  ]);
  assertValidTranscript(turn.transcript);
});

test.each<readonly [string, ScriptItem]>([
  ["ended inside", reply(cutToolCall("echo", '{"path":"a"}'), cutOff())],
  ["ended right after", reply(callTool("echo", { path: "a" }), cutOff())],
  ["failed inside", reply(cutToolCall("echo", '{"path":'), failBefore("network"))],
])("a call whose stream %s its arguments never runs", async (_, item) => {
  const echo = echoTool();
  const provider = scriptedProvider([item]);

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.finishReason).toBe("error");
  expect(turn.messages).toEqual([]);
  assertValidEvents(turn.events);
});
