/** A store that reads from checkpoints begins a page there. */
import assert from "node:assert/strict";
import { beginOwned, head, owned } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";
import { idsFromCheckpoint } from "./walk.ts";

export const checkpoints: StoreTheme = {
  name: "checkpoints",
  whyNot: ({ readsFromCheckpoints }) =>
    readsFromCheckpoints ? undefined : "this store reads every log from its first entry",
  cases: {
    "a reader that wants a checkpoint begins with that of the head": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      const entries = ["a", "b", "c"].map(owned);
      await repository.append("s", entries, { lease, head: head({ checkpoint: lastSeq + 2 }) });

      const all = await idsFromCheckpoint(other, "s");
      const limited = await idsFromCheckpoint(other, "s", 1);

      assert.deepEqual(all, ["b", "c"]);
      assert.deepEqual(limited, ["b"]);
    },

    "a later head moves the checkpoint, and one without it ends it": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s", { checkpoint: 1 });
      const first = await idsFromCheckpoint(other, "s");
      await repository.append("s", ["a", "b"].map(owned), {
        lease,
        head: head({ checkpoint: lastSeq + 1 }),
      });
      await repository.append("s", [owned("c")], { lease });
      const moved = await idsFromCheckpoint(other, "s");
      await repository.append("s", [owned("d")], { lease, head: head() });

      const ended = await idsFromCheckpoint(other, "s");

      assert.deepEqual(first, ["created"]);
      assert.deepEqual(moved, ["a", "b", "c"]);
      assert.deepEqual(ended, ["created", "a", "b", "c", "d"]);
    },
  },
};
