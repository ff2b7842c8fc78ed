import { expect, test } from "vitest";
import { addTo, foldOf, input, started, wholeTurn } from "./fold-of.ts";
import type { Written } from "./fold-of.ts";

const asks = (id: string): Written => ({ type: "compact", id });
const begins: Written = { type: "compaction_started", turnId: "t1" };
const ends = (requests: readonly string[], more: object = {}): Written => ({
  type: "compaction",
  turnId: "t1",
  through: "t1-message",
  summary: "S",
  before: 900,
  after: 90,
  usage: { inputTokens: 900 },
  requests,
  ...more,
});
const fails = (reason: "nothing" | "failed" | "aborted", requests: readonly string[]): Written => ({
  type: "compaction_failed",
  turnId: "t1",
  reason,
  before: 900,
  requests,
});

test("one that is asked for at rest is the next thing to do, and makes the session due", () => {
  const fold = foldOf(...wholeTurn("t1"), asks("k1"), asks("k2"));

  expect(fold.nextAction(0)).toEqual({ type: "compact", ids: ["k1", "k2"] });
  expect(fold.head(0)).toMatchObject({ status: "completed", wakeAt: 0 });
  expect(fold.isAtRest(0)).toBe(false);
  expect(fold.acceptsInput).toBe(true);
});

test("a turn that is to start comes first: it does it before its first request", () => {
  const fold = foldOf(...wholeTurn("t1"), asks("k1"), input("t2"));

  expect(fold.nextAction(0)).toMatchObject({ type: "start", turnId: "t2" });
});

test("its outcome answers all requests, and nothing is left to do", () => {
  const fold = foldOf(...wholeTurn("t1"), asks("k1"), asks("k2"), begins, ends(["k1", "k2"]));

  const outcome = { type: "compacted", before: 900, after: 90, usage: { inputTokens: 900 } };
  expect(["k1", "k2"].map((id) => fold.compactions.outcomeOf(id))).toEqual([outcome, outcome]);
  expect(fold.nextAction(0)).toEqual({ type: "none" });
});

test("one that was tried is not tried again before something was said", () => {
  const fold = foldOf(...wholeTurn("t1"), begins, fails("failed", []));

  expect(fold.compactions.triedAtLength).toBe(fold.transcript.length);
  expect(fold.compactions.failedAt).toBe(900);
  addTo(fold, input("t2"), started("t2", "t2"));
  expect(fold.compactions.triedAtLength).toBeLessThan(fold.transcript.length);
});

test("one that was stopped, or had nothing to do, was not tried", () => {
  const fold = foldOf(
    ...wholeTurn("t1"),
    asks("k1"),
    begins,
    fails("aborted", ["k1"]),
    asks("k2"),
    fails("nothing", ["k2"]),
  );

  expect(fold.compactions.triedAtLength).toBe(-1);
  expect(["k1", "k2"].map((id) => fold.compactions.outcomeOf(id)?.type)).toEqual([
    "aborted",
    "nothing",
  ]);
});

test("what one used that ended with its process is unknown, and counted as that", () => {
  const fold = foldOf(...wholeTurn("t1"), asks("k1"), begins, begins, ends(["k1"]));

  expect(fold.usage.total).toEqual({ inputTokens: 900, unreportedAttempts: 1 });
});

test("a summary of what is no longer there has no effect, and still counts", () => {
  const fold = foldOf(
    ...wholeTurn("t1"),
    asks("k1"),
    begins,
    { type: "history_cleared" },
    ends(["k1"]),
  );

  expect(fold.context.summary).toBeUndefined();
  expect(fold.usage.total).toEqual({ inputTokens: 900 });
});

test("one that waits can be cancelled, and one that is over cannot", () => {
  const fold = foldOf(...wholeTurn("t1"), asks("k1"));

  addTo(fold, { type: "cancel_requested", id: "x1", turnId: "k1", reason: "No" });
  expect(fold.cancelReasonOf("k1")).toBe("No");
  expect(fold.compactions.isWanted).toBe(false);
  addTo(fold, fails("aborted", ["k1"]), { type: "cancel_requested", id: "x2", turnId: "k1" });

  expect(fold.refusalOf("x2")).toBe("turn_over");
});

test("how much one has freed is what the next request says", () => {
  const attempt = { turnId: "t2", step: 1, attempt: 1 } as const;
  const fold = foldOf(...wholeTurn("t1"), begins, ends([]), input("t2"), started("t2", "t2"));
  expect(fold.compactions.left).toBeUndefined();

  addTo(
    fold,
    { type: "attempt", ...attempt, messageId: "m" },
    { type: "attempt_ended", ...attempt, outcome: "completed", usage: { inputTokens: 450 } },
  );

  expect(fold.compactions.left).toEqual({ tokens: 450, share: 0.5 });
});
