import { isOverdue } from "@capstan/log";
import { expect, test } from "vitest";
import { answers, foldOf, input, started, steer, suspended, waits, wholeTurn } from "./fold-of.ts";

const created = { type: "created", agent: "helper" } as const;
const goesOn = { type: "continue", turnId: "t1__2", continues: "t1" };

test("a session that waits is looked at again when no call of it has time left", () => {
  const fold = foldOf(
    ...suspended(waits("c1", { deadlineAt: 100 }), waits("c2", { deadlineAt: 300 })),
  );

  expect(fold.nextAction(0)).toEqual({ type: "none", wakeAt: 300 });
  expect(fold.nextAction(299)).toEqual({ type: "none", wakeAt: 300 });
  expect(fold.nextAction(300)).toEqual(goesOn);
});

test("a call that may take as long as it likes is waited for", () => {
  const fold = foldOf(...suspended(waits("c1", { deadlineAt: 100 }), waits("c2")));

  expect(fold.nextAction(1_000)).toEqual({ type: "none" });
});

test("an answer leaves only the deadlines of the others", () => {
  const fold = foldOf(
    ...suspended(waits("c1", { deadlineAt: 100 }), waits("c2", { deadlineAt: 300 })),
    answers("c2"),
  );

  expect(fold.nextAction(0)).toEqual({ type: "none", wakeAt: 100 });
  expect(fold.nextAction(100)).toEqual(goesOn);
});

test("a deadline that has passed is no answer: what comes before the turn goes on still counts", () => {
  const fold = foldOf(...suspended(waits("c1", { deadlineAt: 100 })), answers("c1"));

  expect(fold.refusalOf("answer-c1")).toBeUndefined();
  expect(fold.answers()).toHaveLength(1);
});

test("the head of a session that waits says when", () => {
  const fold = foldOf(created, ...suspended(waits("c1", { deadlineAt: 100 })));

  expect(fold.head(0)).toMatchObject({ status: "awaiting_tool_execution", wakeAt: 100 });
});

test("the head of a turn that is about to be suspended says when, too", () => {
  const pending = [waits("c1", { deadlineAt: 100 })];
  const fold = foldOf(created, ...suspended(...pending).slice(0, -1));

  expect(fold.headAtEnd({ finishReason: "tool-calls", pending }, 0)).toMatchObject({
    status: "awaiting_tool_execution",
    wakeAt: 100,
  });
});

test.each([
  ["every answer is there", foldOf(...suspended(waits("c1")), answers("c1"))],
  ["a queued message starts the next turn", foldOf(...wholeTurn("t1"), steer("s1"))],
])("a session is due at once when %s", (_, fold) => {
  expect(fold.head(50)).toMatchObject({ wakeAt: 0 });
});

test("a running session needs no time to be due, and a resting one has none", () => {
  expect(foldOf(created, input("t1"), started("t1", "t1")).head(0)).not.toHaveProperty("wakeAt");
  expect(foldOf(created, ...wholeTurn("t1")).head(0)).not.toHaveProperty("wakeAt");
});

test("a call is overdue at its deadline, and one without never is", () => {
  expect(isOverdue(waits("c1", { deadlineAt: 100 }), 99)).toBe(false);
  expect(isOverdue(waits("c1", { deadlineAt: 100 }), 100)).toBe(true);
  expect(isOverdue(waits("c1"), Infinity)).toBe(false);
});
