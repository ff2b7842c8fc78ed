import type { SessionFold } from "@capstan/log";
import { expect, test } from "vitest";
import type { Written } from "./fold-of.ts";
import { ended, foldOf, input, reply, started } from "./fold-of.ts";

const at = { turnId: "t1", step: 1 } as const;

/** A step with a call, for which the provider has reported its tokens, and then these entries. */
function afterStep(...entries: readonly Written[]): SessionFold {
  const usage = { inputTokens: 90, outputTokens: 10 };
  return foldOf(
    input("t1"),
    started("t1", "t1"),
    { type: "attempt", ...at, attempt: 1, messageId: "a1" },
    { type: "message", ...at, message: reply("a1", "c1") },
    { type: "attempt_ended", ...at, attempt: 1, outcome: "completed", model: "m", usage },
    ...entries,
  );
}

const result: Written = {
  type: "tool_result",
  ...at,
  toolCallId: "c1",
  toolName: "pick",
  result: { isError: false, output: "picked" },
};
const eviction: Written = { type: "eviction", turnId: "t1", toolCallIds: ["c1"] };
const quarantine: Written = { type: "quarantine", turnId: "t1", messageId: "t1-message", part: 0 };
const compaction: Written = {
  type: "compaction",
  turnId: "t1",
  through: "a1",
  summary: "S",
  before: 100,
  after: 10,
};

test("the size that a provider has reported holds while the context only grows", () => {
  const fold = afterStep(result);

  expect(fold.context.reported).toEqual({ tokens: 100, messageCount: 2, model: "m" });
});

test.each<[string, Written]>([
  ["an eviction", eviction],
  ["a quarantine", quarantine],
  ["a compaction", compaction],
  ["another prompt", { type: "prompt", turnId: "t1", toolsHash: "h2" }],
])("%s makes the reported size unknown", (_, change) => {
  const fold = afterStep(result, change);

  expect(fold.context.reported).toBeUndefined();
});

test("an attempt without a count leaves the size as it was reported before", () => {
  const second = { turnId: "t1", step: 2, attempt: 1 } as const;
  const fold = afterStep(
    result,
    { type: "attempt", ...second, messageId: "a2" },
    { type: "attempt_ended", ...second, outcome: "completed", usage: { outputTokens: 5 } },
  );

  expect(fold.context.reported?.tokens).toBe(100);
});

test.each<[string, Written]>([
  ["an eviction", eviction],
  ["a quarantine", quarantine],
  ["a compaction", compaction],
  ["a reported size", result],
])("%s does not apply to another history", (_, change) => {
  const { context } = afterStep(result, change, ended("t1"), { type: "history_cleared" });

  expect(context.reported).toBeUndefined();
  expect([...context.evicted]).toEqual([]);
  expect(context.quarantined).toEqual([]);
  expect(context.summary).toBeUndefined();
  expect(context.isAfterChange(1)).toBe(false);
});
