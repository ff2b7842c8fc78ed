import type { AgentEvent } from "@capstan/kernel";
import {
  assertValidEvents,
  assertValidTranscript,
  callTool,
  echoTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  sequentialIds,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { user } from "./messages.ts";

test("a turn needs nothing but a provider", async () => {
  const provider = scriptedProvider([say("Hi")]);

  const turn = await runToEnd({ provider });

  expect(turn.finishReason).toBe("stop");
  expect(turn.messages).toEqual([
    { role: "assistant", id: "id-1", content: [{ type: "text", text: "Hi" }], stopReason: "stop" },
  ]);
  expect(turn.transcript.map((message) => message.role)).toEqual(["user", "assistant"]);
  expect(turn.recorder.text()).toBe("Hi");
  assertValidTranscript(turn.transcript);
  assertValidEvents(turn.events);
  provider.assertComplete();
});

test("the input of a turn stands before its new messages and is all that the model sees", async () => {
  const provider = scriptedProvider([say("Hi")]);

  const turn = await runToEnd({ provider, input: [user("m1", "Good morning")] });

  expect(turn.transcript.map((message) => message.id)).toEqual(["m1", "id-1"]);
  expect(provider.requests[0]?.messages.map((message) => message.id)).toEqual(["m1"]);
  expect(turn.recorder.ofType("turn_start")[0]?.input).toEqual(["m1"]);
});

test("what the caller gives goes before the defaults", async () => {
  const provider = scriptedProvider([reply(say("Wait"), callTool("echo", { x: 1 })), say("Done")]);
  const echo = echoTool();
  const seen: AgentEvent[] = [];

  const turn = await runToEnd({
    provider,
    tools: [echo],
    messages: [user("u9")],
    conversationId: "c9",
    turnId: "t9",
    clock: { newId: sequentialIds("n") },
    emit: (event) => seen.push(event),
  });

  expect(seen).toEqual(turn.events);
  expect(turn.transcript.map((message) => message.id)).toEqual(["u9", "n-1", "n-2", "n-3"]);
  expect(echo.started.map((call) => call.context.turnId)).toEqual(["t9"]);
  assertValidTranscript(turn.transcript);
  assertValidEvents(turn.events);
});

test("the same script gives the same events", async () => {
  const script = [callTool("echo", { x: 1 }), say(["a", "b"])];

  const first = await runToEnd({ provider: scriptedProvider(script), tools: [echoTool()] });
  const second = await runToEnd({ provider: scriptedProvider(script), tools: [echoTool()] });

  expect(second.events).toEqual(first.events);
});
