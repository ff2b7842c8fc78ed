/** Appends that require an unchanged log, and appends of a head alone. */
import assert from "node:assert/strict";
import { beginOwned, head, owned, posted } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";
import { readIds } from "./walk.ts";

export const conditionalAppends: StoreTheme = {
  name: "conditional appends",
  cases: {
    "an append that expects the current last seq succeeds": async ({ repository }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");

      const appended = await repository.append("s", [owned("e")], {
        lease,
        head: head({ title: "after" }),
        onlyIfSeq: lastSeq,
      });

      assert.deepEqual(appended, {
        type: "appended",
        seqs: [lastSeq + 1],
        lastSeq: lastSeq + 1,
      });
      assert.equal((await repository.list()).sessions[0]?.head.title, "after");
    },

    "an append after an unexpected post writes nothing and returns the last seq": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s", { title: "before" });
      const post = await other.post("s", posted("p"));

      const appended = await repository.append("s", [owned("e")], {
        lease,
        head: head({ title: "after" }),
        onlyIfSeq: lastSeq,
      });

      assert.deepEqual(appended, { type: "conflict", lastSeq: post.seq });
      assert.deepEqual(await readIds(repository, "s"), ["created", "p"]);
      assert.equal((await repository.list()).sessions[0]?.head.title, "before");
    },

    "an append with the last seq of a conflict succeeds": async ({ repository, other }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      await other.post("s", posted("p"));
      const options = { lease, head: head() };
      const conflict = await repository.append("s", [owned("e")], {
        ...options,
        onlyIfSeq: lastSeq,
      });

      const appended = await repository.append("s", [owned("e")], {
        ...options,
        onlyIfSeq: conflict.lastSeq,
      });

      assert.equal(appended.type, "appended");
      assert.deepEqual(await readIds(repository, "s"), ["created", "p", "e"]);
    },

    "repeating an earlier post causes no conflict": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s");
      const post = await other.post("s", posted("p"));
      await other.post("s", posted("p"));

      const appended = await repository.append("s", [owned("e")], {
        lease,
        head: head(),
        onlyIfSeq: post.seq,
      });

      assert.equal(appended.type, "appended");
    },

    "an append of no entries refreshes the head only": async ({ repository }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s", { title: "before" });

      const appended = await repository.append("s", [], { lease, head: head({ title: "after" }) });

      assert.deepEqual(appended, { type: "appended", seqs: [], lastSeq });
      assert.deepEqual((await repository.list()).sessions, [
        { id: "s", head: head({ title: "after" }), lastSeq },
      ]);
      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },

    "an append of no entries conflicts like any other": async ({ repository, other }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s", { title: "before" });
      const post = await other.post("s", posted("p"));

      const appended = await repository.append("s", [], {
        lease,
        head: head({ title: "after" }),
        onlyIfSeq: lastSeq,
      });

      assert.deepEqual(appended, { type: "conflict", lastSeq: post.seq });
      assert.equal((await repository.list()).sessions[0]?.head.title, "before");
    },
  },
};
