/** State after a reply or a message that a guard rejected. */
import { SessionFold } from "@capstan/log";
import type { Entry } from "@capstan/log";
import { expect, test } from "vitest";

const reply = {
  role: "assistant",
  id: "t1_1",
  content: [{ type: "text", text: "The secret" }],
  stopReason: "stop",
} as const;
const error = { name: "TurnError", message: "No secrets", code: "output_rejected" };

type Body = { readonly type: Entry["type"]; readonly [field: string]: unknown };

function foldOf(bodies: readonly Body[]): SessionFold {
  const fold = new SessionFold();
  for (const [index, body] of bodies.entries()) {
    const envelope = { v: 1, id: body["id"] ?? `e${index + 1}`, at: 0, seq: index + 1 };
    // The bodies below are complete.
    fold.apply({ ...envelope, ...body } as unknown as Entry);
  }
  return fold;
}

const begun: readonly Body[] = [
  { type: "created", agent: "helper" },
  { type: "input", id: "t1", messages: [{ role: "user", id: "t1", content: "Tell" }] },
  { type: "turn_started", turnId: "t1", input: ["t1"] },
  { type: "attempt", turnId: "t1", step: 1, attempt: 1, messageId: "t1_1" },
  {
    type: "attempt_ended",
    turnId: "t1",
    step: 1,
    attempt: 1,
    outcome: "rejected",
    usage: { inputTokens: 7 },
    error,
    rejected: reply,
  },
];

test("a rejected reply is in no transcript, and its usage counts", () => {
  const fold = foldOf(begun);

  expect(fold.transcript.messages.map(({ id }) => id)).toEqual(["t1"]);
  expect(fold.usage.total).toEqual({ inputTokens: 7 });
  expect(fold.turn?.prior(true)).toMatchObject({ steps: 0, attemptsInStep: 1 });
});

test("a step that ended with a request to reply again counts: the next one has another number", () => {
  const message = { role: "user", id: "t1_1", content: "Again", source: "guard" };
  const fold = foldOf([...begun, { type: "message", turnId: "t1", step: 1, message }]);

  expect(fold.turn?.prior(true)).toMatchObject({ steps: 1, attempts: 1, attemptsInStep: 0 });
  expect(fold.turn?.underWay).toBeUndefined();
});

test("a rejected message stays in the transcript and is withheld from models, until it is cut off", () => {
  const fold = foldOf([
    ...begun.slice(0, 3),
    { type: "input_rejected", turnId: "t1", step: 0, messageIds: ["t1"], error },
    { type: "turn_ended", turnId: "t1", finishReason: "error", usage: {}, error },
  ]);
  const withheld = [...fold.context.withheld];
  const { seq } = fold;
  fold.apply({
    v: 1,
    id: "r1",
    at: 0,
    seq: seq + 1,
    type: "history_rewound",
    to: "t1",
    isBefore: true,
  });

  expect(withheld).toEqual(["t1"]);
  expect([...fold.context.withheld]).toEqual([]);
});
