import { isDue } from "@capstan/log";
import type { SessionHead } from "@capstan/log";
import { expect, test } from "vitest";

function facts(fields: Partial<SessionHead> = {}, leaseExpiresAt?: number, lastPostedSeq = 0) {
  const head: SessionHead = { status: "idle", agent: "a", seen: 5, updatedAt: 0, ...fields };
  return { head, lastPostedSeq, leaseExpiresAt };
}

test("a session at rest is not due", () => {
  expect(isDue(facts(), 100)).toBe(false);
  expect(isDue(facts({ status: "awaiting_tool_execution" }), 100)).toBe(false);
});

test("a running session is due unless its lease is live", () => {
  expect(isDue(facts({ status: "running" }), 100)).toBe(true);
  expect(isDue(facts({ status: "running" }, 101), 100)).toBe(false);
  expect(isDue(facts({ status: "running" }, 100), 100)).toBe(true);
});

test("a deadline counts from its millisecond on", () => {
  expect(isDue(facts({ wakeAt: 101 }), 100)).toBe(false);
  expect(isDue(facts({ wakeAt: 100 }), 100)).toBe(true);
  expect(isDue(facts({ wakeAt: 0 }), 100)).toBe(true);
});

test("only a post after what the head has seen counts", () => {
  expect(isDue(facts({}, undefined, 5), 100)).toBe(false);
  expect(isDue(facts({}, undefined, 6), 100)).toBe(true);
  expect(isDue(facts({}, 101, 6), 100)).toBe(false);
});
