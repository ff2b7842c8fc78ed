import { expect, test } from "vitest";
import {
  addTo,
  answers,
  ended,
  foldOf,
  followUp,
  input,
  started,
  steer,
  suspended,
  waits,
  wholeTurn,
} from "./fold-of.ts";
import type { Written } from "./fold-of.ts";

const running = [input("t1"), started("t1", "t1")];
const starts = (...ids: readonly string[]) => ({ type: "start", turnId: ids[0], input: ids });
const allAtOnce: Written = {
  type: "config",
  config: { steeringMode: "all", followUpMode: "all" },
};

function delivered(...ids: readonly string[]): Written {
  return { type: "queue_settled", turnId: "t1", ids, outcome: { type: "delivered", step: 1 } };
}

function returned(...ids: readonly string[]): Written {
  const outcome = { type: "returned", reason: "cleared" } as const;
  return { type: "queue_settled", turnId: "t1", ids, outcome };
}

test("steering reaches the running turn one message at a time, in the order in which it came", () => {
  const fold = foldOf(...running, steer("s1"), steer("s2"));
  expect(fold.queues.nextSteering().map(({ id }) => id)).toEqual(["s1"]);

  addTo(fold, delivered("s1"));

  expect(fold.queues.nextSteering().map(({ id }) => id)).toEqual(["s2"]);
  expect(fold.transcript.messages.map(({ id }) => id)).toEqual(["t1-message", "s1"]);
});

test("in mode all it reaches the turn together", () => {
  const fold = foldOf(...running, allAtOnce, steer("s1"), followUp("f1"), steer("s2"));

  expect(fold.queues.nextSteering().map(({ id }) => id)).toEqual(["s1", "s2"]);
});

test("steering that is left when a turn ends starts the next one, before any follow-up", () => {
  const fold = foldOf(...running, followUp("f1"), steer("s1"), ended("t1"));

  expect(fold.nextAction(0)).toEqual(starts("s1"));
  addTo(fold, started("s1", "s1"), ended("s1"));
  expect(fold.nextAction(0)).toEqual(starts("f1"));
});

test("each follow-up is a turn of its own", () => {
  const fold = foldOf(...running, followUp("f1"), followUp("f2"), ended("t1"));

  expect(fold.nextAction(0)).toEqual(starts("f1"));
  addTo(fold, started("f1", "f1"), ended("f1"));
  expect(fold.nextAction(0)).toEqual(starts("f2"));
  addTo(fold, started("f2", "f2"), ended("f2"));
  expect(fold.nextAction(0)).toEqual({ type: "none" });
});

test("in mode all the follow-ups that wait are one turn", () => {
  const fold = foldOf(...running, allAtOnce, followUp("f1"), followUp("f2"), ended("t1"));

  expect(fold.nextAction(0)).toEqual(starts("f1", "f2"));
  addTo(fold, started("f1", "f1", "f2"), ended("f1"));
  expect(fold.nextAction(0)).toEqual({ type: "none" });
  expect(fold.transcript.messages.map(({ id }) => id)).toEqual(["t1-message", "f1", "f2"]);
});

test.each([steer("q1"), followUp("q1")])(
  "a message that is queued at rest starts a turn",
  (item) => {
    expect(foldOf(item).nextAction(0)).toEqual(starts("q1"));
    expect(foldOf(...wholeTurn("t1"), item).nextAction(0)).toEqual(starts("q1"));
    expect(foldOf(...wholeTurn("t1", "aborted"), item).nextAction(0)).toEqual(starts("q1"));
  },
);

test.each(["aborted", "error"])(
  "what was queued for a turn that ended %s waits for the next send",
  (reason) => {
    const fold = foldOf(...running, steer("s1"), followUp("f1"), ended("t1", reason));
    expect(fold.nextAction(0)).toEqual({ type: "none" });
    expect(fold.queues.items.map(({ isHeld }) => isHeld)).toEqual([true, true]);

    addTo(fold, input("t2"), started("t2", "t2"));
    expect(fold.queues.nextSteering().map(({ id }) => id)).toEqual(["s1"]);

    addTo(fold, ended("t2"));
    expect(fold.nextAction(0)).toEqual(starts("s1"));
  },
);

test("a message that is queued after held ones starts a turn, and they stay held", () => {
  const fold = foldOf(...running, steer("s1"), ended("t1", "aborted"), steer("s2"));

  expect(fold.nextAction(0)).toEqual(starts("s2"));
  addTo(fold, started("s2", "s2"), ended("s2"));
  expect(fold.nextAction(0)).toEqual({ type: "none" });
});

test("the head of a turn that is about to be aborted is not due because of what is queued", () => {
  const fold = foldOf(...running, steer("s1"));

  expect(fold.headAtEnd({ finishReason: "aborted" }, 0)).not.toHaveProperty("wakeAt");
  expect(fold.headAtEnd({ finishReason: "stop" }, 0)).toHaveProperty("wakeAt", 0);
});

test("a turn that waits for answers waits, whatever is queued", () => {
  const fold = foldOf(...suspended(waits("c1")), steer("s1"));
  expect(fold.nextAction(0)).toEqual({ type: "none" });

  addTo(fold, answers("c1"));

  expect(fold.nextAction(0)).toMatchObject({ type: "continue", continues: "t1" });
});

test.each([
  ["steering", ["s1"]],
  ["followUp", ["f1"]],
  ["all", ["s1", "f1"]],
] as const)("a cleared queue (%s) is given back", (queue, ids) => {
  const fold = foldOf(...running, steer("s1"), followUp("f1"), { type: "queue_cleared", queue });
  addTo(fold, ended("t1"));
  expect(fold.nextAction(0)).toEqual({ type: "return", ids });

  addTo(fold, returned(...ids));

  const outcomes = ids.map((id) => fold.queues.outcomeOf(id));
  expect(outcomes).toEqual(ids.map(() => ({ type: "returned", reason: "cleared" })));
  expect(fold.queues.items.filter(({ isReturning }) => isReturning)).toEqual([]);
});

test("an item that two clears take back belongs to the first of them", () => {
  const fold = foldOf(
    ...running,
    steer("s1"),
    followUp("f1"),
    { type: "queue_cleared", id: "c1", queue: "steering" },
    { type: "queue_cleared", id: "c2", queue: "all" },
  );

  expect(fold.queues.takenBackBy("c1")).toEqual(["s1"]);
  expect(fold.queues.takenBackBy("c2")).toEqual(["f1"]);
});

test("what is to be given back reaches no turn, and what comes afterwards does", () => {
  const fold = foldOf(
    ...running,
    steer("s1"),
    { type: "queue_cleared", queue: "all" },
    steer("s2"),
  );

  expect(fold.queues.nextSteering().map(({ id }) => id)).toEqual(["s2"]);
});

test("a message that was delivered before its queue was cleared stays delivered", () => {
  const fold = foldOf(...running, steer("s1"), delivered("s1"), {
    type: "queue_cleared",
    queue: "all",
  });

  addTo(fold, ended("t1"));

  expect(fold.nextAction(0)).toEqual({ type: "none" });
  expect(fold.queues.outcomeOf("s1")).toEqual({ type: "delivered", turnId: "t1" });
});

test("a message that starts a turn is delivered to it", () => {
  const fold = foldOf(steer("s1"), started("s1", "s1"));

  expect(fold.queues.outcomeOf("s1")).toEqual({ type: "delivered", turnId: "s1" });
  expect(fold.queues.items).toEqual([]);
});
