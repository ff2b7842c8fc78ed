import { expect, test } from "vitest";
import { importMessages } from "../src/copies/imported-messages.ts";

const hello = { role: "user", id: "u1", content: "Hello" };
const text = { type: "text", text: "Hi" };
const call = { type: "tool_call", id: "c1", name: "pick", input: {} };
const result = { role: "tool", id: "r1", toolCallId: "c1", toolName: "pick", content: "picked" };

function replies(id: string, stopReason: string, ...content: readonly object[]): object {
  return { role: "assistant", id, content, stopReason };
}

/** Stop reasons of the replies, once they are imported. */
function stopReasonsOf(...messages: readonly object[]): string[] {
  const imported = importMessages(messages, [], () => false);
  return imported.messages.flatMap((message) =>
    message.role === "assistant" ? message.stopReason : [],
  );
}

test("a reply that another one follows has paused", () => {
  const [first, second] = [replies("a1", "stop", text), replies("a2", "stop", text)];

  expect(stopReasonsOf(hello, first, second)).toEqual(["pause", "stop"]);
});

test("a reply with calls has not paused: its results come between", () => {
  const [first, second] = [replies("a1", "tool-calls", call), replies("a2", "stop", text)];

  expect(stopReasonsOf(hello, first, result, second)).toEqual(["tool-calls", "stop"]);
});

test("a reply with a text and calls has not paused either", () => {
  const [first, second] = [replies("a1", "tool-calls", text, call), replies("a2", "stop", text)];

  expect(stopReasonsOf(hello, first, result, second)).toEqual(["tool-calls", "stop"]);
});

test("a reply is aborted only if a message of the user follows", () => {
  const aborted = replies("a1", "aborted", text);
  const interruption = { role: "user", id: "u2", content: "Stopped", source: "interruption" };

  expect(stopReasonsOf(hello, aborted, interruption)).toEqual(["aborted"]);
  expect(stopReasonsOf(hello, aborted)).toEqual(["stop"]);
});

test("a failed reply between two others does not part them", () => {
  const failed = replies("a2", "error", text);

  expect(
    stopReasonsOf(hello, replies("a1", "stop", text), failed, replies("a3", "stop", text)),
  ).toEqual(["pause", "error", "stop"]);
});
