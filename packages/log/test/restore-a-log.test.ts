import { foldNew, restoreLog } from "@capstan/log";
import type { PendingCall } from "@capstan/kernel";
import type { StoredEntry } from "@capstan/log";
import { expect, test } from "vitest";

type Fields = { readonly [field: string]: unknown };

const waiting: readonly PendingCall[] = [
  { toolCallId: "c1", kind: "approval", toolName: "pay", input: { amount: 5 }, hash: "h1" },
  { toolCallId: "c2", kind: "execution", toolName: "pick", input: {}, hash: "h2" },
];

const calls = [
  { type: "tool_call", id: "c1", name: "pay", input: { amount: 5 } },
  { type: "tool_call", id: "c2", name: "pick", input: {} },
];

function logOf(entries: readonly Fields[]): StoredEntry[] {
  return entries.map(
    (entry, index) =>
      ({ v: 1, id: `e${index + 1}`, at: 1, ...entry, seq: index + 1 }) as unknown as StoredEntry,
  );
}

const asking: readonly Fields[] = [
  { type: "created", agent: "clerk", principal: "ada", config: { model: "m" } },
  { type: "input", id: "t", messages: [{ role: "user", id: "t", content: "Pay" }] },
  { type: "turn_started", turnId: "t", input: ["t"] },
  { type: "attempt", turnId: "t", step: 1, attempt: 1, messageId: "r" },
  {
    type: "message",
    turnId: "t",
    step: 1,
    message: { role: "assistant", id: "r", content: calls, stopReason: "tool-calls" },
  },
  { type: "attempt_ended", turnId: "t", step: 1, attempt: 1, outcome: "completed" },
];

const suspended: readonly Fields[] = [
  ...asking,
  { type: "pending", turnId: "t", step: 1, pending: waiting },
  { type: "turn_ended", turnId: "t", finishReason: "tool-calls", usage: {}, pending: waiting },
];

const copy = { incarnation: "second", now: 2 };

test("an approval that another store recorded does not count: the call is asked again, under another hash", () => {
  const approved = { type: "decision", toolCallId: "c1", hash: "h1", isApproved: true };
  const answered = { type: "answer", toolCallId: "c2", result: { isError: false, output: "b" } };

  const fold = foldNew(restoreLog(logOf([...suspended, approved, answered]), copy));

  expect(fold.nextAction(3)).toEqual({ type: "none" });
  expect(fold.pending).toMatchObject([{ toolCallId: "c1", input: { amount: 5 } }]);
  expect(fold.pending[0]?.hash).not.toBe("h1");
});

test("a result that was given elsewhere counts: its call must not be run twice", () => {
  const answered = { type: "answer", toolCallId: "c2", result: { isError: false, output: "b" } };

  const fold = foldNew(restoreLog(logOf([...suspended, answered]), copy));

  expect(fold.answers()).toMatchObject([{ toolCallId: "c2", state: "settled" }]);
});

test("every copy asks under a hash of its own", () => {
  const first = foldNew(restoreLog(logOf(suspended), copy));
  const second = foldNew(restoreLog(logOf(suspended), { ...copy, incarnation: "third" }));

  const hashes = [...first.pending, ...second.pending].map(({ hash }) => hash);
  expect(new Set(hashes).size).toBe(4);
});

test("a call that had started elsewhere is closed, whatever its tool declares", () => {
  const intent = { type: "tool_intent", turnId: "t", step: 1, toolCallId: "c1", key: "k" };

  const fold = foldNew(restoreLog(logOf([...asking, intent]), copy));

  expect(fold.nextAction(3)).toEqual({ type: "resume", turnId: "t" });
  expect(fold.transcript.entryPoint().open).toMatchObject([
    { toolCallId: "c1", state: "settled", result: { isError: true } },
    { toolCallId: "c2", state: "fresh" },
  ]);
});

test("configuration, principal and queues stay, and the copy has a life of its own", () => {
  const queued = {
    type: "follow_up",
    id: "f",
    message: { role: "user", id: "f", content: "Later" },
  };

  const fold = foldNew(restoreLog(logOf([...suspended, queued]), copy));

  expect(fold.created).toMatchObject({ agent: "clerk", principal: "ada", incarnation: "second" });
  expect(fold.config).toEqual({ model: "m" });
  expect(fold.queues.items).toMatchObject([{ id: "f" }]);
});
