import type { SessionEvent } from "@capstan/log";
import { expect, test } from "vitest";
import { Readers } from "../src/following/readers.ts";
import { SessionTurn } from "../src/following/session-turn.ts";

const within = { sessionId: "s", turnId: "t1" } as const;
const start: SessionEvent = { type: "turn_start", ...within, input: [] };
const delta: SessionEvent = { type: "text_delta", ...within, delta: "Hel" };

/** Readers that expect this turn, and its handle. */
function expecting(id: string) {
  const readers = new Readers({ report: () => {} }, "s");
  const turn = new SessionTurn(id, {
    id: "s",
    hasOutput: false,
    abortSoon() {},
    completeTurn: (response) => response,
    onTurnOver() {},
    refillTurn() {},
  });
  readers.expectTurn(turn);
  const show = (event: SessionEvent): void => readers.show({ event, cursor: { seq: 1, n: 1 } });
  return { readers, turn, show };
}

test("a handle whose turn is expected follows it from its start on, and not earlier", () => {
  const { readers, turn, show } = expecting("t1");

  show(delta);
  const before = readers.handlesOf("t1");
  show(start);

  expect(before).toEqual([]);
  expect(readers.handlesOf("t1")).toEqual([turn]);
  expect(turn.hasBegun).toBe(true);
});

test("the start of another turn leaves the expected one as it is", () => {
  const { readers, turn, show } = expecting("t2");

  show(start);

  expect(turn.hasBegun).toBe(false);
  expect(readers.forgetExpected(turn)).toBe(true);
});
