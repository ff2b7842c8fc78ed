import { expect, test } from "vitest";
import { addTo, ended, foldOf, input, started, suspended, waits, wholeTurn } from "./fold-of.ts";
import type { Written } from "./fold-of.ts";

const created = { type: "created", agent: "helper" } as const;

function abandons(turnId: string, reason?: string): Written {
  const id = `abandon-${turnId}`;
  return { type: "abandon_requested", id, turnId, ...(reason !== undefined && { reason }) };
}

test("an abandoned turn that runs is still to be resumed, so that its owner can end it", () => {
  const fold = foldOf(created, input("t1"), started("t1", "t1"), abandons("t1", "It hangs"));

  expect(fold.abandonReasonOf("t1")).toBe("It hangs");
  expect(fold.nextAction(0)).toEqual({ type: "resume", turnId: "t1" });
});

test("an input that waits for its turn can be abandoned, and its turn starts only to end", () => {
  const fold = foldOf(created, input("t1"), abandons("t1"));
  expect(fold.abandonReasonOf("t1")).toBe("");

  addTo(fold, started("t1", "t1"));

  expect(fold.abandonReasonOf("t1")).toBe("");
});

test("an abandoned turn that waits for answers continues only to end", () => {
  const fold = foldOf(created, ...suspended(waits("c1")), abandons("t1"));

  expect(fold.nextAction(0)).toEqual({ type: "continue", turnId: "t1__2", continues: "t1" });
  expect(fold.abandonReasonOf("t1__2")).toBe("");
});

test("a turn that has ended cannot be abandoned", () => {
  const fold = foldOf(created, ...wholeTurn("t1"), abandons("t1"));

  expect(fold.refusalOf("abandon-t1")).toBe("turn_over");
});

test("the next turn of the session is not abandoned", () => {
  const fold = foldOf(created, input("t1"), started("t1", "t1"), abandons("t1"));

  addTo(fold, ended("t1", "error"), input("t2"));

  expect(fold.abandonReasonOf("t2")).toBeUndefined();
});
