import { expect, test } from "vitest";
import {
  addTo,
  answers,
  ended,
  foldOf,
  input,
  reply,
  says,
  started,
  suspended,
  waits,
} from "./fold-of.ts";
import type { Written } from "./fold-of.ts";

const called = [
  input("t1"),
  started("t1", "t1"),
  { type: "attempt", turnId: "t1", step: 1, attempt: 1, messageId: "a1" },
  { type: "message", turnId: "t1", step: 1, message: reply("a1", "c1", "c2") },
  { type: "attempt_ended", turnId: "t1", step: 1, attempt: 1, outcome: "completed" },
] as const;

function result(toolCallId: string): Written {
  const told = { turnId: "t1", step: 1, toolCallId, toolName: "pick" };
  return { type: "tool_result", ...told, result: { isError: false, output: `of ${toolCallId}` } };
}

function idsOf(messages: readonly { readonly id: string }[]): string[] {
  return messages.map(({ id }) => id);
}

test("the results of a step become messages together, in call order", () => {
  const fold = foldOf(...called, result("c2"));
  expect(idsOf(fold.transcript.messages)).toEqual(["t1-message", "a1"]);

  addTo(fold, result("c1"));

  expect(idsOf(fold.transcript.messages)).toEqual(["t1-message", "a1", "c1", "c2"]);
});

test("a turn that died in a step goes on in it, with what is known of each call", () => {
  const intent = { turnId: "t1", step: 1, toolCallId: "c1", key: "k1", input: { n: 7 } };
  const fold = foldOf(...called, { type: "tool_intent", ...intent }, result("c2"));

  const { messages, open } = fold.transcript.entryPoint();

  expect(idsOf(messages)).toEqual(["t1-message", "a1"]);
  expect(open).toMatchObject([
    { toolCallId: "c1", state: "started", key: "k1", input: { n: 7 } },
    { toolCallId: "c2", state: "settled", isRecorded: true },
  ]);
});

test("a step whose results are all there is entered once more, until something follows it", () => {
  const fold = foldOf(...called, result("c1"), result("c2"));
  expect(fold.transcript.entryPoint().open).toHaveLength(2);

  addTo(fold, { type: "attempt", turnId: "t1", step: 2, attempt: 1, messageId: "a2" });

  expect(fold.transcript.entryPoint()).toEqual({ messages: fold.transcript.messages });
});

test("a turn that starts later begins after everything, and does not see what comes later", () => {
  const fold = foldOf(...called, result("c1"), result("c2"), ended("t1"), input("t2"));

  const { messages } = fold.transcript.startPoint();
  addTo(fold, started("t2", "t2"));

  expect(idsOf(messages)).toEqual(["t1-message", "a1", "c1", "c2"]);
  expect(idsOf(fold.transcript.messages)).toEqual(["t1-message", "a1", "c1", "c2", "t2-message"]);
});

test("a turn that continues another keeps its open step", () => {
  const fold = foldOf(...suspended(waits("c1")), answers("c1"));

  addTo(fold, { type: "turn_started", turnId: "t1__2", input: [], continues: "t1" });

  expect(fold.transcript.entryPoint().open).toMatchObject([{ toolCallId: "c1", state: "settled" }]);
});

test("a history that is cleared or loaded replaces the previous one", () => {
  const fold = foldOf(...called, result("c1"), result("c2"), ended("t1"));

  addTo(fold, { type: "history_loaded", messages: [says("m1"), says("m2")] });
  expect(idsOf(fold.transcript.messages)).toEqual(["m1", "m2"]);

  addTo(fold, { type: "history_cleared" });
  expect(fold.transcript.messages).toEqual([]);
  expect(fold.status).toBe("idle");
});
