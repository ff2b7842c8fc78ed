import { expect, test } from "vitest";
import {
  addTo,
  answers,
  decides,
  ended,
  foldOf,
  input,
  started,
  suspended,
  waits,
} from "./fold-of.ts";

const goesOn = { type: "continue", turnId: "t1__2", continues: "t1" };
const consent = { kind: "approval" } as const;

test("a turn goes on when every call that waits has an answer, and not before", () => {
  const fold = foldOf(...suspended(waits("c1"), waits("c2")));
  expect(fold.nextAction(0)).toEqual({ type: "none" });

  addTo(fold, answers("c2"));
  expect(fold.nextAction(0)).toEqual({ type: "none" });
  expect(fold.pending.map((call) => call.toolCallId)).toEqual(["c1"]);

  addTo(fold, answers("c1"));
  expect(fold.nextAction(0)).toEqual(goesOn);
  expect(fold.pending).toEqual([]);
});

test("the kernel gets the answers with the step that they belong to", () => {
  const fold = foldOf(
    ...suspended(waits("c1"), waits("c2", consent)),
    answers("c1"),
    decides("c2", true),
  );

  const result = { isError: false, output: "picked" };
  expect(fold.transcript.entryPoint().open).toEqual([
    { toolCallId: "c1", state: "settled", result },
    { toolCallId: "c2", state: "approved", input: {} },
  ]);
  expect(fold.answers()).toEqual(fold.transcript.entryPoint().open);
});

test("a call that was refused its consent is denied, with the reason", () => {
  const fold = foldOf(...suspended(waits("c1", consent)), {
    type: "decision",
    toolCallId: "c1",
    hash: "hash-c1",
    isApproved: false,
    reason: "too risky",
  });

  expect(fold.answers()).toEqual([{ toolCallId: "c1", state: "denied", reason: "too risky" }]);
});

test.each([
  ["for a call that is not there", answers("c9", "late"), "not_pending"],
  ["that repeats another", answers("c1", "late"), "already_answered"],
  ["with a result when an approval is asked for", answers("c2", "late"), "wrong_kind"],
  [
    "with an approval when a result is asked for",
    { ...decides("c3", true), id: "late" },
    "wrong_kind",
  ],
  [
    "about something else than what waits",
    { ...decides("c2", true, "other"), id: "late" },
    "hash_mismatch",
  ],
] as const)("an answer %s has no effect", (_, answer, refusal) => {
  const fold = foldOf(...suspended(waits("c1"), waits("c2", consent), waits("c3")), answers("c1"));
  const before = fold.answers();

  addTo(fold, answer);

  expect(fold.refusalOf("late")).toBe(refusal);
  expect(fold.answers()).toEqual(before);
});

test.each([
  ["nothing has run", foldOf(input("t1"))],
  ["the turn is over", foldOf(input("t1"), started("t1", "t1"), ended("t1"))],
  ["the call is settled", settled()],
])("an answer that comes when %s is refused", (_, fold) => {
  addTo(fold, answers("c1", "late"));

  expect(fold.refusalOf("late")).toBe("not_pending");
});

test("an answer that comes while the turn still runs counts", () => {
  const fold = foldOf(...suspended(waits("c1")).slice(0, -1), answers("c1"));

  expect(fold.answers()).toHaveLength(1);
  expect(fold.nextAction(0)).toEqual({ type: "resume", turnId: "t1" });
});

test("consent to a remote call is no answer to it: when it then waits to be run, it waits", () => {
  const fold = foldOf(...suspended(waits("c1", consent)), decides("c1", true));

  addTo(
    fold,
    { type: "turn_started", turnId: "t1__2", input: [], continues: "t1" },
    { type: "pending", turnId: "t1__2", step: 1, pending: [waits("c1")] },
    ended("t1__2", "tool-calls", { pending: [waits("c1")] }),
  );

  expect(fold.pending).toEqual([waits("c1")]);
  expect(fold.nextAction(0)).toEqual({ type: "none" });
  addTo(fold, answers("c1"));
  expect(fold.nextAction(0)).toEqual({ type: "continue", turnId: "t1__3", continues: "t1__2" });
});

test("calls that wait keep their history, and their answers are taken", () => {
  const fold = foldOf(...suspended(waits("c1")));
  const { length } = fold.transcript;

  addTo(fold, { type: "history_cleared" }, answers("c1", "late"));

  expect(fold.transcript.length).toBe(length);
  expect(fold.refusalOf("late")).toBeUndefined();
  expect(fold.nextAction(0)).toMatchObject({ type: "continue" });
});

function settled() {
  const result = { isError: false, output: "picked" };
  return foldOf(
    ...suspended(waits("c1"), waits("c2")),
    answers("c1"),
    { type: "turn_started", turnId: "t1__2", input: [], continues: "t1" },
    { type: "tool_result", turnId: "t1__2", step: 1, toolCallId: "c1", toolName: "pick", result },
  );
}

test("what had no time left when its turn went on is not answered any more", () => {
  const fold = foldOf(...suspended({ ...waits("c1"), deadlineAt: 5 }, waits("c2")));
  addTo(fold, answers("c2"));
  addTo(fold, { type: "turn_started", turnId: "t1__2", input: [], continues: "t1", at: 9 });

  addTo(fold, answers("c1", "late"));

  expect(fold.refusalOf("late")).toBe("not_pending");
  expect(fold.transcript.entryPoint().open).toMatchObject([
    { toolCallId: "c1", state: "settled", result: { isError: true } },
    { toolCallId: "c2", state: "settled" },
  ]);
});
