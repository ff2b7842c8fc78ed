import type { SessionFold } from "@capstan/log";
import { eventsOf } from "@capstan/log";
import { expect, test } from "vitest";
import type { Written } from "./fold-of.ts";
import {
  addTo,
  answers,
  ended,
  foldOf,
  followUp,
  input,
  reply,
  started,
  suspended,
  waits,
  wholeTurn,
} from "./fold-of.ts";

/** A turn whose first reply calls a tool, and whose second reply is its answer. */
function turnWithCall(id: string): Written[] {
  const at = { turnId: id, step: 1 } as const;
  const last = { turnId: id, step: 2 } as const;
  const result = { isError: false, output: "picked" } as const;
  return [
    input(id),
    started(id, id),
    { type: "attempt", ...at, attempt: 1, messageId: `${id}-calls` },
    { type: "message", ...at, message: reply(`${id}-calls`, `${id}-c1`, `${id}-c2`) },
    { type: "attempt_ended", ...at, attempt: 1, outcome: "completed", usage: { inputTokens: 5 } },
    { type: "tool_result", ...at, toolCallId: `${id}-c1`, toolName: "pick", result },
    { type: "tool_result", ...at, toolCallId: `${id}-c2`, toolName: "pick", result },
    { type: "attempt", ...last, attempt: 1, messageId: `${id}-says` },
    { type: "message", ...last, message: reply(`${id}-says`) },
    { type: "attempt_ended", ...last, attempt: 1, outcome: "completed", usage: { inputTokens: 9 } },
    ended(id),
  ];
}

function rewind(to: string, isBefore?: boolean): Written {
  return { type: "history_rewound", id: "rewind", to, ...(isBefore !== undefined && { isBefore }) };
}

function idsOf(fold: SessionFold): string[] {
  return fold.transcript.messages.map(({ id }) => id);
}

test.each<[string, string, string[]]>([
  ["a user message", "t1-message", ["t1-message"]],
  ["a reply with calls", "t1-calls", ["t1-message", "t1-calls", "t1-c1", "t1-c2"]],
  ["a result", "t1-c1", ["t1-message", "t1-calls", "t1-c1", "t1-c2"]],
  ["an answer", "t1-says", ["t1-message", "t1-calls", "t1-c1", "t1-c2", "t1-says"]],
])("a rewind to %s leaves it as the end of a complete step", (_, to, left) => {
  const fold = foldOf(...turnWithCall("t1"), ...wholeTurn("t2"), rewind(to));

  expect(idsOf(fold)).toEqual(left);
});

test.each<[string, string, string[]]>([
  ["a user message", "t1-message", []],
  ["a reply with calls", "t1-calls", ["t1-message"]],
  ["a result", "t1-c2", ["t1-message"]],
  ["an answer", "t1-says", ["t1-message", "t1-calls", "t1-c1", "t1-c2"]],
])("a rewind before %s removes its step too", (_, to, left) => {
  const fold = foldOf(...turnWithCall("t1"), ...wholeTurn("t2"), rewind(to, true));

  expect(idsOf(fold)).toEqual(left);
});

test("a reply that was interrupted keeps the note that says so", () => {
  const cut = { ...reply("a1"), stopReason: "aborted" as const };
  const note = {
    role: "user",
    id: "n1",
    content: "[interrupted]",
    source: "interruption",
  } as const;
  const fold = foldOf(
    input("t1"),
    started("t1", "t1"),
    { type: "message", turnId: "t1", step: 1, message: cut },
    { type: "message", turnId: "t1", step: 1, message: note },
    ended("t1", "aborted"),
    ...wholeTurn("t2"),
    rewind("a1"),
  );

  expect(idsOf(fold)).toEqual(["t1-message", "a1", "n1"]);
});

test("a rewind is refused while a turn runs, and before the turn of an accepted input", () => {
  const running = foldOf(
    ...wholeTurn("t1"),
    input("t2"),
    started("t2", "t2"),
    rewind("t1-message"),
  );
  const accepted = foldOf(...wholeTurn("t1"), input("t2"), rewind("t1-message"));

  expect(running.refusalOf("rewind")).toBe("turn_unfinished");
  expect(accepted.refusalOf("rewind")).toBe("turn_unfinished");
  expect(idsOf(running)).toEqual(["t1-message", "t2-message"]);
});

test("a rewind to an unknown message, or to one that was cut away, is refused", () => {
  const fold = foldOf(...turnWithCall("t1"), rewind("t1-message"));
  addTo(fold, { ...rewind("t1-says"), id: "again" }, { ...rewind("none"), id: "never" });

  expect(fold.refusalOf("rewind")).toBeUndefined();
  expect(fold.refusalOf("again")).toBe("unknown_message");
  expect(fold.refusalOf("never")).toBe("unknown_message");
});

test("a rewind while calls wait ends the turn, and the calls are cut away with their step", () => {
  const fold = foldOf(...suspended(waits("c1")), followUp("f1"), rewind("a1"));

  expect(idsOf(fold)).toEqual(["t1-message"]);
  expect(fold.pending).toEqual([]);
  expect(fold.claims).toEqual([]);
  expect(fold.status).toBe("idle");
  expect(fold.nextAction(0)).toEqual({ type: "none" });
  addTo(fold, answers("c1"));
  expect(fold.refusalOf("answer-c1")).toBe("not_pending");
});

test("queued messages wait for the next send after a rewind", () => {
  const fold = foldOf(...suspended(waits("c1")), followUp("f1"), rewind("t1-message"));
  expect(fold.queues.items).toMatchObject([{ id: "f1", isHeld: true }]);

  addTo(fold, input("t2"), started("t2", "t2"), ended("t2"));

  expect(fold.nextAction(0)).toMatchObject({ type: "start", input: ["f1"] });
});

test("after a rewind to a user message the session continues from it, with budgets of its own", () => {
  const fold = foldOf(...turnWithCall("t1"), rewind("t1-message"));
  addTo(fold, { type: "input", id: "t2", messages: [] }, started("t2", "t2"));

  expect(fold.refusalOf("t2")).toBeUndefined();
  expect(fold.turn?.prior(false)).toMatchObject({ steps: 0, attempts: 0, usage: {} });
});

test("usage stays counted, and the failure of a turn that was cut away is gone", () => {
  const fold = foldOf(...turnWithCall("t1"));
  const { total } = fold.usage;
  addTo(fold, ...wholeTurn("t2", "error"), rewind("t1-message"));

  expect(fold.usage.total).toEqual(total);
  expect(fold.status).toBe("idle");
  expect(fold.turn).toBeUndefined();
});

test("a title that came from the first message goes with it", () => {
  const fold = foldOf(input("t1", "Old title"), started("t1", "t1"), ended("t1"));
  expect(fold.title).toBe("Old title");

  addTo(fold, rewind("t1-message", true));
  expect(fold.title).toBeUndefined();

  addTo(fold, input("t2", "New title"), started("t2", "t2"), ended("t2"));
  expect(fold.title).toBe("New title");
});

test("a request after a rewind repeats the messages before the cut", () => {
  const fold = foldOf(...turnWithCall("t1"), rewind("t1-calls"));
  const at = { turnId: "t2", step: 1, attempt: 1 } as const;
  addTo(fold, { type: "input", id: "t2", messages: [] }, started("t2", "t2"));
  addTo(fold, { type: "attempt", ...at, messageId: "a9" });

  expect(fold.prefix.stability.turn).toBe(1);
});

test("messages since an entry do not include those that were cut away", () => {
  const fold = foldOf(...wholeTurn("t1"), ...wholeTurn("t2"));
  const seen = fold.seq;
  addTo(fold, rewind("t1-message"), ...wholeTurn("t3"));

  expect(fold.transcript.lengthAt(seen)).toBe(1);
  expect(fold.transcript.between(seen, fold.seq).map(({ id }) => id)).toEqual(["t3-message"]);
});

test("readers are told which message is the last one now; a refused rewind is silent", () => {
  const entries = [
    ...turnWithCall("t1"),
    rewind("none"),
    rewind("t1-c1"),
    rewind("t1-message", true),
  ].map((entry, index) => ({ v: 1, at: 0, ...entry, id: entry.id ?? `e${index}`, seq: index + 1 }));

  const rewinds = eventsOf("s", entries).filter(({ event }) => event.type === "history_rewound");

  expect(rewinds).toEqual([
    {
      cursor: { seq: 13, n: 1 },
      event: { type: "history_rewound", sessionId: "s", turnId: "rewind", to: "t1-c2" },
    },
    {
      cursor: { seq: 14, n: 1 },
      event: { type: "history_rewound", sessionId: "s", turnId: "rewind" },
    },
  ]);
});
