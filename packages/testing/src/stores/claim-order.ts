/** The order in which due sessions are claimed: a session that fails each time delays no other. */
import assert from "node:assert/strict";
import { begin, beginRunning, claimsOf } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";
import { claimedIds } from "./walk.ts";

export const claimOrder: StoreTheme = {
  name: "order of claims",
  whyNot: ({ isOneQueue }) =>
    isOneQueue ? undefined : "the store has several queues, and keeps the order within each",
  cases: {
    "sessions that were never owned, then those owned least recently, are claimed first": async ({
      repository,
      other,
      advance,
    }) => {
      const ids = await beginRunning(repository, 3);
      const [first, second, third] = ids as [string, string, string];
      for (const id of [second, third, first]) {
        await advance(5);
        const claim = await repository.acquire(id, "first", longMs);
        assert.ok(claim);
        await repository.release(claim.lease);
      }
      await begin(repository, "new", { status: "running" });

      const order: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        order.push(...claimedIds(await other.claimDue(claimsOf("second", { limit: 1 }))));
      }

      assert.deepEqual(order, ["new", second, third, first]);
    },

    "a session released unfinished goes to the end of the queue": async ({
      repository,
      other,
      advance,
    }) => {
      await beginRunning(repository, 3);
      const order: string[] = [];
      for (let i = 0; i < 6; i += 1) {
        const [claim] = await other.claimDue(claimsOf("first", { limit: 1 }));
        assert.ok(claim);
        order.push(claim.lease.sessionId);
        await advance(5);
        await other.release(claim.lease);
        await advance(5);
      }

      const [once, again] = [order.slice(0, 3), order.slice(3)];
      assert.equal(new Set(once).size, 3);
      assert.deepEqual(again, once);
    },
  },
};
