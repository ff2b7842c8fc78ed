import { expect, test } from "vitest";
import {
  addTo,
  answers,
  cancels,
  ended,
  foldOf,
  input,
  started,
  suspended,
  waits,
  wholeTurn,
} from "./fold-of.ts";

test("a cancel of the running turn is known to it, with its reason", () => {
  const fold = foldOf(input("t1"), started("t1", "t1"), cancels("t1", "too slow"));

  expect(fold.refusalOf("cancel-t1")).toBeUndefined();
  expect(fold.turn).toMatchObject({ isCancelled: true, cancelReason: "too slow" });
  expect(fold.nextAction(0)).toEqual({ type: "resume", turnId: "t1" });
});

test("a cancelled turn stays cancelled for the process that resumes it", () => {
  const resumed = { type: "turn_resumed", turnId: "t1", epoch: 2 } as const;
  const fold = foldOf(input("t1"), started("t1", "t1"), cancels("t1"), resumed);

  expect(fold.turn?.isCancelled).toBe(true);
});

test("a cancel of a turn that waits lets it go on at once, to its end", () => {
  const fold = foldOf(...suspended(waits("c1")), cancels("t1", "enough"));

  expect(fold.nextAction(0)).toEqual({ type: "continue", turnId: "t1__2", continues: "t1" });
  addTo(fold, { type: "turn_started", turnId: "t1__2", input: [], continues: "t1" });
  expect(fold.turn).toMatchObject({ turnId: "t1__2", isCancelled: true, cancelReason: "enough" });
});

test("a cancel of any turn of a chain holds for the one that runs", () => {
  const fold = foldOf(
    ...suspended(waits("c1")),
    answers("c1"),
    { type: "turn_started", turnId: "t1__2", input: [], continues: "t1" },
    cancels("t1"),
  );

  expect(fold.turn).toMatchObject({ turnId: "t1__2", isCancelled: true });
});

test("a cancel that comes before its turn has started ends it when it starts", () => {
  const fold = foldOf(input("t1"), cancels("t1", "never mind"));
  expect(fold.refusalOf("cancel-t1")).toBeUndefined();
  expect(fold.nextAction(0)).toEqual({ type: "start", turnId: "t1", input: ["t1"] });

  addTo(fold, started("t1", "t1"));

  expect(fold.turn).toMatchObject({ isCancelled: true, cancelReason: "never mind" });
});

test("a cancel that came before its turn had started does not hold for the next turn", () => {
  const fold = foldOf(input("t1"), cancels("t1"), started("t1", "t1"), ended("t1", "aborted"));

  addTo(fold, input("t2"), started("t2", "t2"));

  expect(fold.turn).toMatchObject({ turnId: "t2", isCancelled: false });
});

test("of two cancels the first gives the reason", () => {
  const fold = foldOf(input("t1"), started("t1", "t1"), cancels("t1", "one"), cancels("t1", "two"));

  expect(fold.turn?.cancelReason).toBe("one");
});

test.each([
  ["that is over", foldOf(...wholeTurn("t1"))],
  ["that was never there", foldOf(input("t2"), started("t2", "t2"))],
  ["before another one that waits to start", foldOf(...wholeTurn("t1"), input("t2"))],
])("a cancel of a turn %s is refused", (_, fold) => {
  addTo(fold, cancels("t1"));

  expect(fold.refusalOf("cancel-t1")).toBe("turn_over");
  expect(fold.turn?.isCancelled ?? false).toBe(false);
});

test("the next turn knows nothing of a cancel of the one before", () => {
  const fold = foldOf(input("t1"), started("t1", "t1"), cancels("t1"), ended("t1", "aborted"));

  addTo(fold, input("t2"), started("t2", "t2"));

  expect(fold.turn?.isCancelled).toBe(false);
});
