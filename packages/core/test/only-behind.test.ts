/** Events that a reader with a cursor has not seen. */
import type { Cursor, SessionEvent } from "@capstan/log";
import { expect, test } from "vitest";
import { onlyBehind } from "../src/following/only-behind.ts";

const ids = { sessionId: "s", turnId: "t1" };
const delta: SessionEvent = { ...ids, type: "text_delta", delta: "Hel" };
const snapshot: SessionEvent = {
  ...ids,
  type: "snapshot",
  message: { id: "a1", content: [{ type: "text", text: "Hello" }] },
  toolOutputs: [],
};

/** Types and cursors of the events that reach a reader which has seen everything up to `after`. */
function shown(after: Cursor, events: readonly (readonly [SessionEvent, Cursor])[]): string[] {
  const reached: string[] = [];
  const deliver = onlyBehind(({ type }, { seq, n }) => reached.push(`${type} ${seq}.${n}`), after);
  for (const [event, cursor] of events) deliver(event, cursor);
  return reached;
}

test("a reader gets what comes after its cursor, and nothing twice", () => {
  const reached = shown({ seq: 4, n: 2 }, [
    [delta, { seq: 4, n: 1 }],
    [delta, { seq: 4, n: 2 }],
    [delta, { seq: 4, n: 3 }],
    [delta, { seq: 4, n: 3 }],
    [delta, { seq: 5, n: 0 }],
  ]);

  expect(reached).toEqual(["text_delta 4.3", "text_delta 5.0"]);
});

test("a snapshot reaches a reader that has seen more of what was live after the same entry", () => {
  const reached = shown({ seq: 4, n: 9 }, [[snapshot, { seq: 4, n: 1 }]]);

  expect(reached).toEqual(["snapshot 4.1"]);
});

test("a snapshot after an older entry does not reach a reader that has seen more", () => {
  const reached = shown({ seq: 4, n: 0 }, [
    [snapshot, { seq: 3, n: 9 }],
    [delta, { seq: 5, n: 0 }],
    [snapshot, { seq: 4, n: 9 }],
  ]);

  expect(reached).toEqual(["text_delta 5.0"]);
});
