/** A deleted session is gone, for its owner too. */
import assert from "node:assert/strict";
import { failsWith } from "./fails-with.ts";
import { begin, beginOwned, created, head, own, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";
import { readAll, readIds } from "./walk.ts";

export const deletion: StoreTheme = {
  name: "deletion",
  cases: {
    "a deleted session is no longer found": async ({ repository, other }) => {
      await begin(repository, "s", { status: "running" });
      await begin(repository, "kept");

      await repository.delete("s");

      await failsWith("not_found", () => other.read("s"));
      await failsWith("not_found", () => other.post("s", posted("p")));
      const query = { agents: ["helper"], owner: "first", ttlMs: longMs };
      assert.deepEqual(await other.claimDue(query), []);
      assert.deepEqual(
        (await other.list()).sessions.map(({ id }) => id),
        ["kept"],
      );
    },

    "deleting twice is fine": async ({ repository, other }) => {
      await begin(repository, "s");

      await repository.delete("s");
      await other.delete("s");

      await failsWith("not_found", () => repository.read("s"));
    },

    "an owner at work finds its deleted session gone": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s");

      await other.delete("s");

      await failsWith("not_found", () =>
        repository.append("s", [owned("e")], { lease, head: head() }),
      );
      await failsWith("not_found", () => repository.renew(lease, longMs));
      await failsWith("not_found", () => repository.release(lease));
      await failsWith("not_found", () => repository.read("s"));
    },

    "a session created again under an old id has nothing of the old one": async ({
      repository,
    }) => {
      await begin(repository, "s");
      await repository.post("s", posted("p", "old"));
      await repository.delete("s");

      await repository.create("s", [created("anew")], head({ title: "new" }));
      const again = await repository.post("s", posted("p", "new"));

      assert.equal(again.isNew, true);
      assert.deepEqual(await readAll(repository, "s"), [
        { ...created("anew"), seq: 1 },
        { ...posted("p", "new"), seq: again.seq },
      ]);
      assert.equal((await repository.list()).sessions[0]?.head.title, "new");
    },

    "the owner of a deleted session cannot write to a new one under its id": async ({
      repository,
      other,
    }) => {
      const old = await beginOwned(repository, "s");
      await other.delete("s");
      await begin(other, "s");
      const stale = { lease: old.lease, head: head() };

      await failsWith("fenced", () => repository.append("s", [owned("stale")], stale));
      const next = await own(other, "s", "next");

      await failsWith("fenced", () => repository.append("s", [owned("stale")], stale));
      await failsWith("fenced", () => repository.renew(old.lease, longMs));
      await failsWith("fenced", () => repository.release(old.lease));
      assert.ok(next.lease.epoch > old.lease.epoch, "an epoch was reused");
      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },
  },
};
