/** A new handle finds everything that an earlier one wrote. */
import assert from "node:assert/strict";
import { failsWith } from "./fails-with.ts";
import { beginOwned, created, head, own, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { OpenStore, StoreTheme } from "./store-case.ts";
import { readAll } from "./walk.ts";

async function reopened({ reopen, repository }: OpenStore) {
  return (await reopen?.()) ?? repository;
}

export const durability: StoreTheme = {
  name: "durability",
  whyNot: ({ reopen }) =>
    reopen === undefined ? "nothing in this store outlives its only handle" : undefined,
  cases: {
    "a new handle finds entries, head and blobs": async (store) => {
      const { repository } = store;
      const { lease } = await beginOwned(repository, "s");
      const ref = await repository.putBlob("s", Uint8Array.of(1, 2, 3));
      await repository.append("s", [owned("e")], { lease, head: head({ title: "kept", seen: 2 }) });
      await repository.post("s", posted("p"));

      const next = await reopened(store);

      assert.deepEqual(await readAll(next, "s"), [
        { ...created(), seq: 1 },
        { ...owned("e"), seq: 2 },
        { ...posted("p"), seq: 3 },
      ]);
      assert.deepEqual((await next.list()).sessions, [
        { id: "s", head: head({ title: "kept", seen: 2 }), lastSeq: 3 },
      ]);
      assert.deepEqual([...((await next.getBlob("s", ref)) ?? [])], [1, 2, 3]);
    },

    "a new handle knows who owns a session, and which posts it has": async (store) => {
      const { lease } = await beginOwned(store.repository, "s");
      const post = await store.repository.post("s", posted("p"));

      const next = await reopened(store);

      assert.equal(await next.acquire("s", "second", longMs), undefined);
      assert.deepEqual(await next.post("s", posted("p")), { seq: post.seq, isNew: false });
      await next.append("s", [owned("e")], { lease, head: head() });
    },

    "a new handle never reuses an epoch, not even of a deleted session": async (store) => {
      const { lease } = await beginOwned(store.repository, "s");
      await store.repository.delete("s");

      const next = await reopened(store);
      await next.create("s", [created()], head());
      const claim = await own(next, "s", "second");

      assert.ok(claim.lease.epoch > lease.epoch);
      await failsWith("fenced", () => next.renew(lease, longMs));
    },
  },
};
