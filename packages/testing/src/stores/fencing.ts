/** An owner without a valid lease writes nothing, however late it wakes up. */
import assert from "node:assert/strict";
import { failsWith } from "./fails-with.ts";
import { begin, beginOwned, head, own, owned } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { OpenStore, StoreTheme } from "./store-case.ts";
import { readIds } from "./walk.ts";

/** Returns a first owner whose lease expired while it was paused, and its successor. */
async function takenOver({ repository, other, advance, leaseMs }: OpenStore) {
  await begin(repository, "s");
  const paused = await own(repository, "s", "paused", leaseMs);
  await advance(leaseMs);
  const next = await own(other, "s", "next");
  return { paused: paused.lease, next: next.lease };
}

export const fencing: StoreTheme = {
  name: "fencing",
  cases: {
    "a paused writer that wakes up after its successor took over writes nothing": async (store) => {
      const { paused, next } = await takenOver(store);
      const { repository, other } = store;
      const stale = { lease: paused, head: head({ title: "stale" }) };

      await failsWith("fenced", () => repository.append("s", [owned("stale")], stale));
      await failsWith("fenced", () => repository.append("s", [], stale));
      await other.append("s", [owned("e")], { lease: next, head: head({ title: "next" }) });
      await failsWith("fenced", () => repository.append("s", [owned("stale")], stale));

      assert.deepEqual(await readIds(repository, "s"), ["created", "e"]);
      assert.equal((await repository.list()).sessions[0]?.head.title, "next");
    },

    "a paused writer is fenced even if its append would only have conflicted": async (store) => {
      const { paused } = await takenOver(store);

      await failsWith("fenced", () =>
        store.repository.append("s", [owned("stale")], {
          lease: paused,
          head: head(),
          onlyIfSeq: 999,
        }),
      );
    },

    "a paused writer can neither renew nor release the lease of its successor": async (store) => {
      const { paused, next } = await takenOver(store);

      await failsWith("fenced", () => store.repository.renew(paused, longMs));
      await failsWith("fenced", () => store.repository.release(paused));

      assert.equal(await store.repository.acquire("s", "third", longMs), undefined);
      await store.other.append("s", [owned("e")], { lease: next, head: head() });
    },

    "nothing is written under an expired lease, even if the session has no new owner": async (
      store,
    ) => {
      const { repository, advance, leaseMs } = store;
      await begin(repository, "s");
      const { lease } = await own(repository, "s", "paused", leaseMs);

      await advance(leaseMs);

      await failsWith("fenced", () =>
        repository.append("s", [owned("stale")], { lease, head: head() }),
      );
      await failsWith("fenced", () => repository.release(lease));
      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },

    "an expired lease can be renewed if the session has had no new owner": async (store) => {
      const { repository, other, advance, leaseMs } = store;
      await begin(repository, "s");
      const { lease } = await own(repository, "s", "asleep", leaseMs);
      await advance(leaseMs);

      await repository.renew(lease, longMs);

      assert.equal(await other.acquire("s", "second", longMs), undefined);
      await repository.append("s", [owned("e")], { lease, head: head() });
      assert.deepEqual(await readIds(repository, "s"), ["created", "e"]);
    },

    "an expired lease cannot be renewed if another owner had the session and released it": async (
      store,
    ) => {
      const { repository, other, advance, leaseMs } = store;
      await begin(repository, "s");
      const { lease } = await own(repository, "s", "asleep", leaseMs);
      await advance(leaseMs);
      const second = await own(other, "s", "second");
      await other.release(second.lease);

      await failsWith("fenced", () => repository.renew(lease, longMs));

      await failsWith("fenced", () =>
        repository.append("s", [owned("stale")], { lease, head: head() }),
      );
    },

    "an expired lease goes either to its owner or to another": async (store) => {
      const { repository, other, advance, leaseMs } = store;
      await begin(repository, "s");
      const { lease } = await own(repository, "s", "asleep", leaseMs);
      await advance(leaseMs);

      const renewed = (async () => repository.renew(lease, longMs))().then(
        () => true,
        () => false,
      );
      const taken = (async () => other.acquire("s", "second", longMs))();

      const [isRenewed, claim] = await Promise.all([renewed, taken]);
      assert.equal(isRenewed, claim === undefined);
    },

    "a released lease has ended": async ({ repository }) => {
      const { lease } = await beginOwned(repository, "s");

      await repository.release(lease);

      await failsWith("fenced", () =>
        repository.append("s", [owned("stale")], { lease, head: head() }),
      );
      await failsWith("fenced", () => repository.renew(lease, longMs));
      await failsWith("fenced", () => repository.release(lease));
      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },

    "a released lease has ended even if an owner of the same name has the session again": async ({
      repository,
    }) => {
      const first = await beginOwned(repository, "s");
      await repository.release(first.lease);
      await own(repository, "s");

      await failsWith("fenced", () =>
        repository.append("s", [owned("stale")], { lease: first.lease, head: head() }),
      );
      await failsWith("fenced", () => repository.release(first.lease));
    },
  },
};
