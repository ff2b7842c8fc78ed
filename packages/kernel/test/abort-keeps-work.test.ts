/** An aborted turn keeps the work done so far, and leaves no empty message. */
import { interruptionMarker } from "@capstan/kernel";
import {
  assertValidEvents,
  assertValidTranscript,
  callTool,
  checkTranscript,
  cutToolCall,
  deferredTool,
  echoTool,
  ping,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
  think,
  usage,
  wait,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";

test("a stop keeps the text so far, the finished tool results and all usage", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([
    reply(callTool("echo", { x: 1 }), usage({ inputTokens: 10, outputTokens: 2 })),
    reply(usage({ inputTokens: 20 }), say(["Hel", "lo, this is lo"]), stall()),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    signal: controller.signal,
    emit: (event) => event.type === "text_delta" && event.delta !== "Hel" && controller.abort(),
  });

  expect(turn.messages).toMatchObject([
    { role: "assistant", stopReason: "tool-calls" },
    { role: "tool", content: '{"x":1}', isError: false },
    { role: "assistant", content: [{ text: "Hello, this is lo" }], stopReason: "aborted" },
    { role: "user", content: interruptionMarker, source: "interruption" },
  ]);
  expect(turn.usage).toEqual({ inputTokens: 30, outputTokens: 2 });
  expect(turn.recorder.ofType("turn_end")).toMatchObject([
    { finishReason: "aborted", usage: { inputTokens: 30, outputTokens: 2 } },
  ]);
  assertValidTranscript(turn.transcript);
  assertValidEvents(turn.events);
});

test("a stop in a batch keeps what finished and says what was interrupted", async () => {
  const controller = new AbortController();
  const slow = deferredTool();
  const provider = scriptedProvider([
    reply(callTool("echo", { x: 1 }), callTool("deferred"), say("and so on")),
  ]);

  const running = runToEnd({ provider, tools: [echoTool(), slow], signal: controller.signal });
  await slow.whenStarted();
  controller.abort();
  const turn = await running;

  expect(turn.messages).toMatchObject([
    { role: "assistant", stopReason: "tool-calls" },
    { role: "tool", content: '{"x":1}', isError: false },
    { role: "tool", content: expect.stringContaining("Interrupted"), isError: true },
    { role: "user", content: interruptionMarker },
  ]);
  assertValidTranscript(turn.transcript);
});

test("what a stop left is what the next turn sends to the model", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([reply(say("Hel"), stall()), say("Hello")]);

  const stopped = await runToEnd({
    provider,
    signal: controller.signal,
    emit: (event) => event.type === "text_delta" && controller.abort(),
  });
  await runToEnd({
    provider,
    messages: stopped.transcript,
    input: [{ role: "user", id: "u2", content: "Go on" }],
  });

  expect(provider.requests[1]?.messages).toMatchObject([
    { role: "user", content: "Hello" },
    { role: "assistant", content: [{ text: "Hel" }] },
    { role: "user", content: interruptionMarker },
    { role: "user", content: "Go on" },
  ]);
});

test.each<readonly [string, readonly ScriptItem[]]>([
  ["before the first part", []],
  ["after a mere sign of life", [ping()]],
  ["after thinking that cannot be sent back", [think("hm")]],
  ["inside the first call", [cutToolCall("echo", '{"x')]],
  ["at an empty text", [say("")]],
])("a stop %s leaves no message", async (_, said) => {
  const controller = new AbortController();
  const stops = wait(() => {
    controller.abort();
    return new Promise(() => {});
  });
  const provider = scriptedProvider([reply(...said, stops), say("Hi")]);

  const stopped = await runToEnd({
    provider,
    tools: [echoTool()],
    signal: controller.signal,
  });
  const next = await runToEnd({
    provider,
    messages: stopped.transcript,
    input: [{ role: "user", id: "u2", content: "Hello again" }],
  });

  expect(stopped.finishReason).toBe("aborted");
  expect(stopped.messages).toEqual([]);
  expect(provider.requests[1]?.messages.map((message) => message.id)).toEqual(["u1", "u2"]);
  expect(checkTranscript(next.transcript)).toEqual([]);
  assertValidEvents(stopped.events);
});

test("an empty reply that another program stored is not sent to a model", async () => {
  const provider = scriptedProvider([say("Hi")]);

  await runToEnd({
    provider,
    messages: [
      { role: "user", id: "u1", content: "Hello" },
      { role: "assistant", id: "a1", content: [], stopReason: "aborted" },
    ],
    input: [{ role: "user", id: "u2", content: "Hello again" }],
  });

  expect(provider.requests[0]?.messages.map((message) => message.id)).toEqual(["u1", "u2"]);
});
