/** One owner at a time, until its lease expires by the store's clock. */
import assert from "node:assert/strict";
import { failsWith } from "./fails-with.ts";
import { begin, beginOwned, head, own, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";

export const leases: StoreTheme = {
  name: "leases",
  cases: {
    "an owner gets a lease, the last seq and the head": async ({ repository }) => {
      await begin(repository, "s", { title: "t" });
      await repository.post("s", posted("p"));

      const claim = await repository.acquire("s", "first", longMs);

      assert.ok(claim);
      assert.deepEqual(claim, {
        lease: { sessionId: "s", owner: "first", epoch: claim.lease.epoch },
        lastSeq: 2,
        head: head({ title: "t" }),
      });
    },

    "a session with an owner is not given to another": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s");

      assert.equal(await repository.acquire("s", "second", longMs), undefined);
      assert.equal(await other.acquire("s", "third", longMs), undefined);
      await repository.append("s", [owned("e")], { lease, head: head() });
    },

    "only one of many concurrent callers acquires a session": async ({ repository, other }) => {
      await begin(repository, "s");
      const handles = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? repository : other));

      const claims = await Promise.all(
        handles.map(async (handle, i) => handle.acquire("s", `owner-${i}`, longMs)),
      );

      assert.equal(claims.filter((claim) => claim !== undefined).length, 1);
    },

    "a lease covers one session and no other": async ({ repository }) => {
      const { lease } = await beginOwned(repository, "left");
      await begin(repository, "right");

      assert.ok(await repository.acquire("right", "second", longMs));
      await failsWith("fenced", () =>
        repository.append("right", [owned("e")], { lease, head: head() }),
      );
    },

    "a lease expires by the store's clock, and another owner takes over": async ({
      repository,
      other,
      advance,
      leaseMs,
    }) => {
      await begin(repository, "s");
      const first = await own(repository, "s", "first", leaseMs);

      await advance(leaseMs);
      const second = await own(other, "s", "second");

      assert.ok(second.lease.epoch > first.lease.epoch);
      await other.append("s", [owned("e")], { lease: second.lease, head: head() });
    },

    "a renewed lease lasts longer": async ({ repository, other, advance, leaseMs }) => {
      await begin(repository, "s");
      const { lease } = await own(repository, "s", "first", leaseMs);

      await repository.renew(lease, longMs);
      await advance(leaseMs);

      assert.equal(await other.acquire("s", "second", longMs), undefined);
      await repository.append("s", [owned("e")], { lease, head: head() });
    },

    "a renewal counts from now, even if it shortens the lease": async ({
      repository,
      other,
      advance,
      leaseMs,
    }) => {
      const { lease } = await beginOwned(repository, "s");

      await repository.renew(lease, leaseMs);
      await advance(leaseMs);

      assert.ok(await other.acquire("s", "second", longMs));
    },

    "a released session can be acquired at once": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s");

      await repository.release(lease);

      assert.ok(await other.acquire("s", "second", longMs));
    },

    "a release returns the last seq, with what was posted in the meantime": async ({
      repository,
      other,
    }) => {
      const { lease } = await beginOwned(repository, "s");
      const post = await other.post("s", posted("p"));

      assert.deepEqual(await repository.release(lease), { lastSeq: post.seq });
    },

    "an owner that acquires again gets a new epoch, and its old lease has ended": async ({
      repository,
    }) => {
      const first = await beginOwned(repository, "s");

      const second = await own(repository, "s");

      assert.ok(second.lease.epoch > first.lease.epoch);
      await failsWith("fenced", () =>
        repository.append("s", [owned("e")], { lease: first.lease, head: head() }),
      );
      await repository.append("s", [owned("e")], { lease: second.lease, head: head() });
    },

    "an epoch is never reused, not even after a release": async ({ repository, other }) => {
      const first = await beginOwned(repository, "s");
      await repository.release(first.lease);
      const second = await own(other, "s", "second");
      await other.release(second.lease);
      const third = await own(repository, "s", "first");

      assert.ok(first.lease.epoch < second.lease.epoch);
      assert.ok(second.lease.epoch < third.lease.epoch);
    },

    "claiming a due session increases the epoch as well": async ({ repository, other }) => {
      const first = await beginOwned(repository, "s", { status: "running" });
      await repository.release(first.lease);

      const query = { agents: ["helper"], owner: "second", ttlMs: longMs };
      const [second] = await other.claimDue(query);

      assert.ok((second?.lease.epoch ?? 0) > first.lease.epoch);
    },
  },
};
