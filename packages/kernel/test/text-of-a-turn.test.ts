import type { AssistantPart, ChatMessage, FinishReason } from "@capstan/kernel";
import { toTurnResponse } from "@capstan/kernel";
import { expect, test } from "vitest";

function says(...content: AssistantPart[]): ChatMessage {
  return { role: "assistant", id: "a", content, stopReason: "stop" };
}

function gives(text: string): ChatMessage {
  const content = [{ type: "text", text }] as const;
  return {
    role: "tool",
    id: `m-${text}`,
    toolCallId: text,
    toolName: "echo",
    content,
    isError: false,
  };
}

function textOf(messages: readonly ChatMessage[], finishReason: FinishReason = "stop"): string {
  return toTurnResponse({ messages, finishReason, usage: {} }).text;
}

const call: AssistantPart = { type: "tool_call", id: "c", name: "echo", input: {} };

test("the text of a turn is that of its last reply", () => {
  const last = says({ type: "text", text: "Hel" }, { type: "text", text: "lo" });

  expect(textOf([says({ type: "text", text: "Let me see" }, call), gives("one"), last])).toBe(
    "Hello",
  );
});

test("a turn that ended with terminal calls has the text of their results", () => {
  expect(textOf([says(call, call), gives("one"), gives("two")])).toBe("one\ntwo");
  expect(textOf([gives("before"), says(call), gives("one")])).toBe("one");
});

test("a turn that was stopped after its calls has no text of theirs", () => {
  expect(textOf([says(call), gives("one")], "aborted")).toBe("");
});

test("a turn that continued another and ended with its calls has the text of their results", () => {
  expect(textOf([gives("one")])).toBe("one");
});

test("a turn without a reply and without results has no text", () => {
  expect(textOf([])).toBe("");
});
