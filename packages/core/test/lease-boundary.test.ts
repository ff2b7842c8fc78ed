/** The moment at which a lease is over: another host may have the session from then on. */
import { memoryRepository } from "@capstan/log";
import type { SessionHead } from "@capstan/log";
import { manualClock } from "@capstan/testing";
import { expect, test } from "vitest";
import { Ownership } from "../src/owner/ownership.ts";
import { Renewals } from "../src/owner/renewals.ts";

const leaseMs = 30_000;
const askedAt = 1_000;
const head: SessionHead = { status: "running", agent: "helper", seen: 0, updatedAt: 0 };

function ownedSession(): Ownership {
  const clock = manualClock(askedAt);
  const repository = { ...memoryRepository({ now: clock.now }), renew: () => {} };
  const renewals = new Renewals(clock, leaseMs);
  const claim = { lease: { sessionId: "s", owner: "own", epoch: 1 }, lastSeq: 0, head };
  return new Ownership(claim, { repository, clock, leaseMs, renewals }, askedAt);
}

test("a lease holds until its last millisecond is over, and not longer", () => {
  const ownership = ownedSession();

  expect(() => ownership.check(askedAt + leaseMs - 1)).not.toThrow();
  expect(ownership.isLost).toBe(false);
  expect(() => ownership.check(askedAt + leaseMs)).toThrow("has run out");
  expect(ownership.isLost).toBe(true);
});

test("the store is asked for a lease that is over, and not before", async () => {
  const ownership = ownedSession();

  const before = ownership.confirm(askedAt + leaseMs - 1);
  const atTheEnd = ownership.confirm(askedAt + leaseMs);

  expect(before).toBeUndefined();
  expect(atTheEnd).toBeInstanceOf(Promise);
  await atTheEnd;
  expect(ownership.isLost).toBe(false);
});
