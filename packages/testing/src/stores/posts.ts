/** Posts: by any process, at any time, stored once. */
import assert from "node:assert/strict";
import type { Appended, Posted, SessionRepository } from "@capstan/log";
import { begin, beginOwned, created, head, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";
import { claimAll, claimedIds, readAll, readIds } from "./walk.ts";

const rounds = 100;

/** Races a post against the append that ends a turn: both run at once, started in either order. */
async function race(
  owner: SessionRepository,
  poster: SessionRepository,
  id: string,
  isPostFirst: boolean,
): Promise<void> {
  const { lease, lastSeq } = await beginOwned(owner, id, { status: "running" });
  const ended = head({ status: "completed", seen: lastSeq + 1 });
  const post = async (): Promise<Posted> => poster.post(id, posted("late"));
  const end = async (): Promise<Appended> =>
    owner.append(id, [owned("ending")], { lease, head: ended, onlyIfSeq: lastSeq });

  const early = isPostFirst ? post() : undefined;
  const [appended, late] = await Promise.all([end(), early ?? post()]);

  const ids = await readIds(poster, id);
  await owner.release(lease);
  if (appended.type === "conflict") {
    assert.deepEqual(ids, ["created", "late"]);
    assert.equal(appended.lastSeq, late.seq);
  } else {
    assert.deepEqual(ids, ["created", "ending", "late"]);
    assert.ok(late.seq > appended.lastSeq, "the post does not come after the append");
  }
}

export const posts: StoreTheme = {
  name: "posts",
  cases: {
    "a post needs no lease": async ({ repository, other }) => {
      await begin(repository, "s");

      const post = await other.post("s", posted("p"));

      assert.equal(post.isNew, true);
      assert.deepEqual((await readAll(repository, "s")).at(-1), { ...posted("p"), seq: post.seq });
    },

    "a post succeeds while an owner holds the lease, and the owner continues": async ({
      repository,
      other,
    }) => {
      const { lease } = await beginOwned(repository, "s");

      const post = await other.post("s", posted("p"));
      const appended = await repository.append("s", [owned("e")], { lease, head: head() });

      assert.equal(post.isNew, true);
      assert.equal(appended.type, "appended");
      assert.deepEqual(await readIds(other, "s"), ["created", "p", "e"]);
    },

    "the seq of an append shows its owner that something was posted before it": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      await other.post("s", posted("p"));

      const appended = await repository.append("s", [owned("e")], { lease, head: head() });

      assert.ok(appended.type === "appended" && (appended.seqs[0] ?? 0) > lastSeq + 1);
    },

    "the same id posted twice is one entry, the first": async ({ repository, other }) => {
      await begin(repository, "s");
      const first = await repository.post("s", posted("p", "first"));

      const second = await other.post("s", posted("p", "second"));

      assert.deepEqual(second, { seq: first.seq, isNew: false });
      const entries = await readAll(repository, "s");
      assert.deepEqual(entries.slice(1), [{ ...posted("p", "first"), seq: first.seq }]);
    },

    "the same id posted many times at once is one entry": async ({ repository, other }) => {
      await begin(repository, "s");
      const handles = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? repository : other));

      const results = await Promise.all(
        handles.map(async (handle, i) => handle.post("s", posted("p", `by ${i}`))),
      );

      assert.equal(results.filter(({ isNew }) => isNew).length, 1);
      assert.equal(new Set(results.map(({ seq }) => seq)).size, 1);
      const winner = results.findIndex(({ isNew }) => isNew);
      const entries = await readAll(repository, "s");
      assert.deepEqual(entries.slice(1), [
        { ...posted("p", `by ${winner}`), seq: results[winner]?.seq },
      ]);
    },

    "a post with the id of an owner's entry is not new": async ({ repository }) => {
      const { lease } = await beginOwned(repository, "s");
      const appended = await repository.append("s", [owned("e")], { lease, head: head() });

      assert.deepEqual(await repository.post("s", posted("e")), {
        seq: appended.lastSeq,
        isNew: false,
      });
      assert.deepEqual(await repository.post("s", posted("created")), { seq: 1, isNew: false });
      assert.deepEqual(await readIds(repository, "s"), ["created", "e"]);
    },

    "the same id may be posted to two sessions": async ({ repository }) => {
      await begin(repository, "left");
      await begin(repository, "right");

      const left = await repository.post("left", posted("p"));
      const right = await repository.post("right", posted("p"));

      assert.deepEqual([left.isNew, right.isNew], [true, true]);
    },

    "a post changes neither the head nor the lease": async ({ repository }) => {
      await repository.create("s", [created()], head({ title: "before" }));
      await repository.acquire("s", "first", longMs);

      await repository.post("s", posted("p"));

      assert.deepEqual((await repository.list()).sessions[0]?.head, head({ title: "before" }));
      assert.equal(await repository.acquire("s", "second", longMs), undefined);
    },

    "a post racing the append that ends a turn stops it, or comes after it and makes the session due":
      async ({ repository, other }) => {
        const ids = Array.from({ length: rounds }, (_, i) => `race-${String(i).padStart(3, "0")}`);

        for (const [i, id] of ids.entries()) await race(repository, other, id, i % 2 === 0);

        const due = await claimAll(other, { agents: ["helper"], owner: "next", ttlMs: longMs });
        assert.deepEqual(claimedIds(due), ids);
      },
  },
};
