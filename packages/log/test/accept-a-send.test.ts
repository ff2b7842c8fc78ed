import { expect, test } from "vitest";
import {
  addTo,
  answers,
  cancels,
  ended,
  foldOf,
  input,
  says,
  started,
  suspended,
  waits,
  wholeTurn,
} from "./fold-of.ts";

const created = { type: "created", agent: "helper" } as const;

test.each([
  ["new", foldOf(created), "idle"],
  ["whose turn has ended", foldOf(created, ...wholeTurn("t1")), "completed"],
  ["whose turn was aborted", foldOf(created, ...wholeTurn("t1", "aborted")), "completed"],
  ["whose turn failed", foldOf(created, ...wholeTurn("t1", "error")), "error"],
  [
    "that was cleared",
    foldOf(created, ...wholeTurn("t1", "error"), { type: "history_cleared" }),
    "idle",
  ],
  ["with a loaded history", foldOf(created, { type: "history_loaded", messages: [] }), "idle"],
])("a session %s accepts a send, and its turn starts", (_, fold, status) => {
  expect(fold.status).toBe(status);
  expect(fold.acceptsInput).toBe(true);

  addTo(fold, input("next"));

  expect(fold.status).toBe("running");
  expect(fold.refusalOf("next")).toBeUndefined();
  expect(fold.nextAction(0)).toEqual({ type: "start", turnId: "next", input: ["next"] });
});

test.each([
  [
    "has an input that waits for its turn",
    foldOf(created, input("t1")),
    "running",
    "turn_unfinished",
  ],
  ["runs a turn", foldOf(created, input("t1"), started("t1", "t1")), "running", "turn_unfinished"],
  [
    "waits for answers",
    foldOf(created, ...suspended(waits("c1"))),
    "awaiting_tool_execution",
    "calls_pending",
  ],
  [
    "has its answers",
    foldOf(created, ...suspended(waits("c1")), answers("c1")),
    "awaiting_tool_execution",
    "turn_unfinished",
  ],
  [
    "is about to end aborted",
    foldOf(created, ...suspended(waits("c1")), cancels("t1")),
    "awaiting_tool_execution",
    "turn_unfinished",
  ],
])("a session that %s refuses a send", (_, fold, status, refusal) => {
  const action = fold.nextAction(0);

  addTo(fold, input("second"));

  expect(fold.status).toBe(status);
  expect(fold.refusalOf("second")).toBe(refusal);
  expect(fold.nextAction(0)).toEqual(action);
});

test("of two inputs the first is run, and the second stays refused when the first is over", () => {
  const fold = foldOf(created, input("t1"), input("t2"), started("t1", "t1"), ended("t1"));

  expect(fold.refusalOf("t2")).toBe("turn_unfinished");
  expect(fold.nextAction(0)).toEqual({ type: "none" });
});

test("a turn that has started and not ended goes on", () => {
  const fold = foldOf(created, input("t1"), started("t1", "t1"));

  expect(fold.nextAction(0)).toEqual({ type: "resume", turnId: "t1" });
});

test("the head of a session says what its status is, whose it is and how far it was folded", () => {
  const fold = foldOf({ type: "created", agent: "helper", principal: "ada" }, ...wholeTurn("t1"));

  expect(fold.head(5)).toEqual({
    status: "completed",
    agent: "helper",
    principal: "ada",
    title: "Hello",
    seen: 4,
    updatedAt: 5,
  });
});

test("the head of a turn that is about to end tells how it will have ended", () => {
  const fold = foldOf(created, input("t1"), started("t1", "t1"));

  expect(fold.headAtEnd({ finishReason: "error" }, 5)).toMatchObject({ status: "error", seen: 3 });
  expect(fold.status).toBe("running");
});

test("an input that came while a queued message was starting its turn has the next one", () => {
  const message = { role: "user", id: "f1", content: "Later" } as const;
  const fold = foldOf(
    created,
    ...wholeTurn("t1"),
    { type: "follow_up", id: "f1", message },
    input("t2"),
    started("f1", "f1"),
  );

  expect(fold.acceptedInput?.id).toBe("t2");
  addTo(fold, ended("f1", "stop"));

  expect(fold.nextAction(0)).toEqual({ type: "start", turnId: "t2", input: ["t2"] });
});

test.each([
  { name: "an input", posted: input("t2") },
  { name: "a cleared history", posted: { type: "history_cleared" } as const },
  { name: "a loaded history", posted: { type: "history_loaded", messages: [says("m1")] } as const },
])("$name counts as posted, and what the owner writes after it does not", ({ posted }) => {
  const fold = foldOf(created, ...wholeTurn("t1"));
  const { seq } = fold;

  addTo(fold, posted, { type: "turn_resumed", turnId: "t1", epoch: 2 });

  expect(fold).toMatchObject({ lastPostedSeq: seq + 1, seq: seq + 2 });
});
