/** The moment at which a lease is over: another host may have the session from then on. */
import { memoryRepository } from "@capstan/log";
import type { Lease, SessionHead } from "@capstan/log";
import { manualClock, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { HeldLease } from "../src/owner/held-lease.ts";
import { Renewals } from "../src/owner/renewals.ts";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";

const leaseMs = 30_000;
const askedAt = 1_000;
const head: SessionHead = { status: "running", agent: "helper", seen: 0, updatedAt: 0 };

function ownedSession(): HeldLease {
  const clock = manualClock(askedAt);
  const repository = { ...memoryRepository({ now: clock.now }), renew: () => {} };
  const renewals = new Renewals(clock, leaseMs);
  const claim = { lease: { sessionId: "s", owner: "own", epoch: 1 }, lastSeq: 0, head };
  return new HeldLease(claim, { repository, clock, leaseMs, renewals }, askedAt);
}

test("a lease holds until its last millisecond is over, and not longer", () => {
  const heldLease = ownedSession();

  expect(() => heldLease.check(askedAt + leaseMs - 1)).not.toThrow();
  expect(heldLease.isLost).toBe(false);
  expect(() => heldLease.check(askedAt + leaseMs)).toThrow("has expired");
  expect(heldLease.isLost).toBe(true);
});

test("the store is asked for a lease that is over, and not before", async () => {
  const heldLease = ownedSession();

  const before = heldLease.confirm(askedAt + leaseMs - 1);
  const atTheEnd = heldLease.confirm(askedAt + leaseMs);

  expect(before).toBeUndefined();
  expect(atTheEnd).toBeInstanceOf(Promise);
  await atTheEnd;
  expect(heldLease.isLost).toBe(false);
});

test("a lease that is still to be given is not renewed, holds nothing up, and ends like any other", async () => {
  const clock = manualClock(askedAt);
  const renewed: number[] = [];
  const repository = {
    ...memoryRepository({ now: clock.now }),
    renew: ({ epoch }: Lease) => void renewed.push(epoch),
  };
  const renewals = new Renewals(clock, leaseMs);
  const heldLease = new HeldLease(undefined, { repository, clock, leaseMs, renewals }, askedAt);

  await clock.advance(leaseMs);
  expect(heldLease.confirm(clock.now())).toBeUndefined();
  expect(() => heldLease.check(clock.now())).not.toThrow();
  expect(() => heldLease.lease).toThrow("was not given");
  expect(renewed).toEqual([]);

  const given = { lease: { sessionId: "s", owner: "own", epoch: 3 }, lastSeq: 0, head };
  heldLease.take(given, clock.now());
  await clock.advance(leaseMs / 3);

  expect(renewed).toEqual([3]);
  heldLease.lose();
  expect(() => heldLease.check(clock.now())).toThrow("has expired or was lost");
});

test("the session of a host that vanished is locked for ten seconds by default", async () => {
  const world = createWorld([stall()]);
  const { repository, die } = mortal(world.repository);
  const session = world.host({ repository }).createSession({ agent: "helper" });
  void session.send("Hello");
  await world.clock.advance(0);
  die();

  await world.clock.advance(9_999);
  const before = world.repository.acquire(session.id, "other", 1);
  await world.clock.advance(1);
  const after = world.repository.acquire(session.id, "other", 1);

  expect(before).toBeUndefined();
  expect(after?.lease.owner).toBe("other");
});
