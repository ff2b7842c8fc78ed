/** Leases that are given with a post and released with an append, by stores that can. The others ignore the request, and say nothing of it. */
import assert from "node:assert/strict";
import type { PostOptions } from "@capstan/log";
import { failsWith } from "./fails-with.ts";
import { begin, beginOwned, head, own, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";
import { readIds } from "./walk.ts";

const claim: PostOptions = { claim: { owner: "first", ttlMs: longMs } };

export const jointWrites: StoreTheme = {
  name: "joint writes",
  cases: {
    "a session is claimed with a post as if it were acquired": async ({ repository, other }) => {
      await begin(repository, "s", { title: "Mine" });

      const { seq, claim: given } = await repository.post("s", posted("p"), claim);

      if (given === undefined) {
        await own(other, "s", "second");
        return;
      }
      assert.deepEqual([given.lastSeq, given.head.title], [seq, "Mine"]);
      assert.equal(await other.acquire("s", "second", longMs), undefined);
      await repository.append("s", [owned("e")], { lease: given.lease, head: head() });
      await repository.renew(given.lease, longMs);
      await repository.release(given.lease);
    },

    "the epoch of a session that is claimed with a post fences the owners before it": async ({
      repository,
    }) => {
      const { lease: first } = await beginOwned(repository, "s");
      await repository.release(first);

      const { claim: given } = await repository.post("s", posted("p"), claim);

      assert.ok(given === undefined || given.lease.epoch > first.epoch);
      await failsWith("fenced", () =>
        repository.append("s", [owned("e")], { lease: first, head: head() }),
      );
    },

    "a post claims no session that another owner has": async ({ repository, other }) => {
      await begin(repository, "s");
      const { lease } = await own(other, "s", "second");

      const written = await repository.post("s", posted("p"), claim);

      assert.deepEqual([written.isNew, written.claim], [true, undefined]);
      await other.append("s", [owned("e")], { lease, head: head() });
      assert.deepEqual(await readIds(repository, "s"), ["created", "p", "e"]);
    },

    "a post claims a session whose lease has expired": async (store) => {
      const { repository, other, advance, leaseMs } = store;
      await begin(repository, "s");
      const { lease } = await own(other, "s", "second", leaseMs);
      await advance(leaseMs);

      const { claim: given } = await repository.post("s", posted("p"), claim);

      if (given === undefined) return;
      await failsWith("fenced", () => other.append("s", [owned("e")], { lease, head: head() }));
    },

    "a post that was made before claims nothing": async ({ repository, other }) => {
      await begin(repository, "s");
      await repository.post("s", posted("p"));

      const again = await repository.post("s", posted("p"), claim);

      assert.deepEqual([again.isNew, again.claim], [false, undefined]);
      await own(other, "s", "second");
    },

    "a post that is meant for another session of the id claims nothing": async ({ repository }) => {
      await begin(repository, "s");

      const options = { ...claim, incarnation: "another" };
      await failsWith("not_found", () => repository.post("s", posted("p"), options));

      await own(repository, "s", "second");
    },

    "the lease is released with an append as if it were released": async ({
      repository,
      other,
    }) => {
      const { lease } = await beginOwned(repository, "s");
      const end = { lease, head: head({ title: "Over" }), onlyIfSeq: 1, releases: true };

      const appended = await repository.append("s", [owned("e")], end);

      assert.equal(appended.type, "appended");
      if (appended.isReleased !== true) await repository.release(lease);
      await own(other, "s", "second");
      await failsWith("fenced", () => repository.append("s", [owned("f")], { lease }));
      await failsWith("fenced", () => repository.renew(lease, longMs));
      assert.deepEqual(await readIds(repository, "s"), ["created", "e"]);
      assert.equal((await repository.list()).sessions[0]?.head.title, "Over");
    },

    "the lease is released with an append that changes no head": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s", { title: "Mine" });

      const appended = await repository.append("s", [owned("e")], { lease, releases: true });

      assert.equal(appended.type, "appended");
      if (appended.isReleased !== true) await repository.release(lease);
      const { head: claimed } = await own(other, "s", "second");
      assert.equal(claimed.title, "Mine");
      await failsWith("fenced", () => repository.append("s", [owned("f")], { lease }));
    },

    "an append that conflicts releases nothing": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s");
      await other.post("s", posted("p"));
      const end = { lease, head: head(), onlyIfSeq: 1, releases: true };

      const refused = await repository.append("s", [owned("e")], end);

      assert.equal(refused.type, "conflict");
      assert.equal(await other.acquire("s", "second", longMs), undefined);
      await repository.append("s", [owned("e")], { lease, head: head() });
    },

    "a session that is released with its last append is due if something was posted": async ({
      repository,
      other,
    }) => {
      const { lease } = await beginOwned(repository, "s");
      const end = { lease, head: head({ seen: 2 }), onlyIfSeq: 1, releases: true };
      const appended = await repository.append("s", [owned("e")], end);
      if (appended.type === "appended" && appended.isReleased !== true) {
        await repository.release(lease);
      }
      const query = { agents: ["helper"], owner: "second", ttlMs: longMs };
      assert.deepEqual(await other.claimDue(query), []);

      await repository.post("s", posted("p"));

      assert.equal((await other.claimDue(query)).length, 1);
    },
  },
};
