/** Due sessions are claimed, each by one caller. */
import assert from "node:assert/strict";
import { begin, beginRunning, claimsOf, head, owned } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";
import { claimAll, claimedIds } from "./walk.ts";

export const claiming: StoreTheme = {
  name: "claims",
  cases: {
    "a claimed session is owned like an acquired one": async ({ repository, other }) => {
      await begin(repository, "s", { status: "running" });

      const [claim] = await repository.claimDue(claimsOf("first"));

      assert.ok(claim);
      assert.equal(await other.acquire("s", "second", longMs), undefined);
      await repository.append("s", [owned("e")], { lease: claim.lease, head: head() });
      await repository.renew(claim.lease, longMs);
    },

    "a claimed session is no longer due, not even for its owner": async ({ repository, other }) => {
      await begin(repository, "s", { status: "running" });
      await repository.claimDue(claimsOf("first"));

      assert.deepEqual(await other.claimDue(claimsOf("second")), []);
      assert.deepEqual(await repository.claimDue(claimsOf("first")), []);
    },

    "a claim expires like any lease, and the session is due again": async ({
      repository,
      other,
      advance,
      leaseMs,
    }) => {
      await begin(repository, "s", { status: "running" });
      await repository.claimDue(claimsOf("first", { ttlMs: leaseMs }));

      await advance(leaseMs);

      assert.deepEqual(claimedIds(await other.claimDue(claimsOf("second"))), ["s"]);
    },

    "a released session is due again only if there is something to do": async ({ repository }) => {
      await beginRunning(repository, 2);
      const claims = await repository.claimDue(claimsOf("first"));
      const [done, undone] = claims.map(({ lease }) => lease);
      assert.ok(done && undone);

      await repository.append(done.sessionId, [owned("end")], {
        lease: done,
        head: head({ status: "completed", seen: 2 }),
      });
      await repository.release(done);
      await repository.release(undone);

      const again = await repository.claimDue(claimsOf("first"));
      assert.deepEqual(claimedIds(again), [undone.sessionId]);
    },

    "only sessions of the given agents are claimed": async ({ repository }) => {
      await begin(repository, "s1", { status: "running", agent: "helper" });
      await begin(repository, "s2", { status: "running", agent: "coder" });
      await begin(repository, "s3", { status: "running", agent: "writer" });

      const none = await repository.claimDue(claimsOf("first", { agents: [] }));
      const two = await repository.claimDue(claimsOf("first", { agents: ["coder", "writer"] }));

      assert.deepEqual([claimedIds(none), claimedIds(two)], [[], ["s2", "s3"]]);
    },

    "at most `limit` sessions are claimed, ten by default": async ({ repository }) => {
      await beginRunning(repository, 15);

      const two = await repository.claimDue(claimsOf("first", { limit: 2 }));
      const ten = await repository.claimDue(claimsOf("first"));
      const rest = await repository.claimDue(claimsOf("first"));

      assert.deepEqual([two.length, ten.length, rest.length], [2, 10, 3]);
      assert.equal(new Set(claimedIds([...two, ...ten, ...rest])).size, 15);
    },

    "concurrent claims give each session to one caller": async ({ repository, other }) => {
      const ids = await beginRunning(repository, 50);

      const claims = await Promise.all([
        claimAll(repository, claimsOf("first", { limit: 7 })),
        claimAll(other, claimsOf("second", { limit: 7 })),
        claimAll(repository, claimsOf("third", { limit: 3 })),
        claimAll(other, claimsOf("fourth", { limit: 3 })),
      ]);

      assert.deepEqual(claimedIds(claims.flat()), ids);
    },

    "a session goes to a claim or to an acquire, not to both": async ({ repository, other }) => {
      const ids = await beginRunning(repository, 50);

      const [claims, acquired] = await Promise.all([
        claimAll(repository, claimsOf("first")),
        Promise.all(ids.map(async (id) => other.acquire(id, "second", longMs))),
      ]);

      const taken = acquired.filter((claim) => claim !== undefined);
      assert.deepEqual(claimedIds([...claims, ...taken]), ids);
    },
  },
};
