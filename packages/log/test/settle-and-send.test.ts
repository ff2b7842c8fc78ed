import { expect, test } from "vitest";
import {
  addTo,
  answers,
  cancels,
  decides,
  ended,
  foldOf,
  input,
  reply,
  started,
  steer,
  suspended,
  waits,
  wholeTurn,
} from "./fold-of.ts";
import type { Written } from "./fold-of.ts";

const created = { type: "created", agent: "helper" } as const;
const reason = "the user sent another message.";

function settling(id: string, more: Partial<Extract<Written, { type: "input" }>> = {}): Written {
  return { ...input(id), settles: reason, ...more } as Written;
}

function continued(turnId: string, continues: string): Written {
  return { type: "turn_started", turnId, input: [], continues };
}

const waiting = [created, ...suspended(waits("c1"), waits("c2", { kind: "approval" }))];

test("an input that settles pending calls denies approvals, fails executions, and continues the turn", () => {
  const fold = foldOf(...waiting, settling("t2"));

  expect(fold.refusalOf("t2")).toBeUndefined();
  expect(fold.pending).toEqual([]);
  expect(fold.answers()).toEqual([
    {
      toolCallId: "c1",
      state: "settled",
      result: { isError: true, output: "Not answered: the user sent another message." },
    },
    { toolCallId: "c2", state: "denied", reason },
  ]);
  expect(fold.nextAction(0)).toEqual({ type: "continue", turnId: "t1__2", continues: "t1" });
  expect(fold.turnIdOf("t2")).toBe("t1__2");
});

test("an answer that came before an input that settles the rest is kept", () => {
  const fold = foldOf(...waiting, answers("c1"), settling("t2"));

  expect(fold.answers()).toMatchObject([
    { toolCallId: "c1", result: { isError: false, output: "picked" } },
    { toolCallId: "c2", state: "denied" },
  ]);
});

test("an answer that comes after the calls were settled is refused", () => {
  const fold = foldOf(...waiting, settling("t2"), answers("c1"), decides("c2", true));

  expect(fold.refusalOf("answer-c1")).toBe("already_answered");
  expect(fold.refusalOf("decision-c2")).toBe("already_answered");
});

test("all messages of the input are delivered at the next boundary, with the steering before them", () => {
  const messages = ["m1", "m2"].map((id) => ({ role: "user", id, content: id }) as const);
  const fold = foldOf(...waiting, steer("s1"), steer("s2"), settling("t2", { messages }));

  const next = fold.queues.nextSteering();

  expect(next.map(({ id }) => id)).toEqual(["s1", "m1", "m2"]);
});

test("a message that the continued turn did not deliver starts the next turn", () => {
  const fold = foldOf(...waiting, settling("t2"), continued("t1__2", "t1"));

  addTo(fold, ended("t1__2", "max-steps"));

  expect(fold.nextAction(0)).toMatchObject({ type: "start", input: ["t2-message"] });
});

test("in a session that accepts input it is an ordinary input", () => {
  const fold = foldOf(created, ...wholeTurn("t1"), settling("t2"));

  expect(fold.nextAction(0)).toEqual({ type: "start", turnId: "t2", input: ["t2"] });
  expect(fold.turnIdOf("t2")).toBe("t2");
});

test.each([
  ["a turn that runs", [created, input("t1"), started("t1", "t1")]],
  ["a turn that was cancelled", [...waiting, cancels("t1")]],
  [
    "a running turn with a call that waits",
    [
      created,
      input("t1"),
      started("t1", "t1"),
      { type: "message", turnId: "t1", step: 1, message: reply("a1", "c1") },
      { type: "pending", turnId: "t1", step: 1, pending: [waits("c1")] },
    ] as Written[],
  ],
])("%s refuses it, and nothing is settled", (_, entries) => {
  const fold = foldOf(...entries);
  const { pending } = fold;

  addTo(fold, settling("t2"));

  expect(fold.refusalOf("t2")).toBe("turn_unfinished");
  expect(fold.pending).toEqual(pending);
  expect(fold.queues.isEmpty).toBe(true);
});

test("its overrides replace those of the turn that continues", () => {
  const fold = foldOf(...waiting, settling("t2", { options: { model: "other" } }));

  addTo(fold, continued("t1__2", "t1"));

  expect(fold.turn?.origin.options).toEqual({ model: "other" });
});

test("a cancel that names the input cancels the turn that delivers it", () => {
  const fold = foldOf(...waiting, settling("t2"), continued("t1__2", "t1"));

  addTo(fold, cancels("t2", "Stop"));

  expect(fold.cancelReasonOf("t1__2")).toBe("Stop");
});

test("its metadata and app context are those of the turn that continues", () => {
  const fold = foldOf(
    ...waiting,
    settling("t2", { metadata: { from: "web" }, app: { tenant: "b" } }),
  );

  addTo(fold, continued("t1__2", "t1"));

  expect(fold.turn?.origin).toMatchObject({ metadata: { from: "web" }, app: { tenant: "b" } });
});
