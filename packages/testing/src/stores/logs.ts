/** Entries keep their order and their seqs, and sessions stay separate. */
import assert from "node:assert/strict";
import { failsWith } from "./fails-with.ts";
import { begin, beginOwned, created, head, owned, posted } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";
import { readAll, readIds } from "./walk.ts";

export const logs: StoreTheme = {
  name: "the log",
  cases: {
    "a session starts with the entries it was created with, numbered from one": async ({
      repository,
      other,
    }) => {
      await repository.create("s", [created(), owned("e2")], head({ seen: 2 }));

      const page = await other.read("s");
      assert.deepEqual(page.entries, [
        { ...created(), seq: 1 },
        { ...owned("e2"), seq: 2 },
      ]);
      assert.equal(page.lastSeq, 2);
    },

    "a session may start empty": async ({ repository }) => {
      await repository.create("s", [], head({ seen: 0 }));

      const { entries, lastSeq } = await repository.read("s");
      assert.deepEqual({ entries, lastSeq }, { entries: [], lastSeq: 0 });
    },

    "an id can be created once": async ({ repository, other }) => {
      await begin(repository, "s");

      await failsWith("exists", () => other.create("s", [created("again")], head()));
      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },

    "only one of several concurrent creates of an id succeeds": async ({ repository, other }) => {
      const outcomes = await Promise.allSettled(
        [repository, other, repository, other].map(async (handle, i) =>
          handle.create("s", [created(`by-${i}`)], head()),
        ),
      );

      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal((await readIds(repository, "s")).length, 1);
    },

    "the entries of one append get consecutive seqs": async ({ repository }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");

      const appended = await repository.append("s", [owned("a"), owned("b"), owned("c")], {
        lease,
        head: head(),
      });

      const seqs = [lastSeq + 1, lastSeq + 2, lastSeq + 3];
      assert.deepEqual(appended, { type: "appended", seqs, lastSeq: lastSeq + 3 });
      const page = await repository.read("s", { after: lastSeq });
      assert.deepEqual(
        page.entries,
        ["a", "b", "c"].map((id, i) => ({ ...owned(id), seq: seqs[i] })),
      );
      assert.equal(page.lastSeq, lastSeq + 3);
    },

    "an entry that expects another seq gets the one assigned by the store": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      const foreseen = { ...owned("a"), seq: lastSeq + 1 };
      const wrong = { ...owned("b"), seq: 99 };

      const appended = await repository.append("s", [foreseen, wrong], { lease, head: head() });
      await other.post("s", { ...posted("c"), ...{ seq: 1 } });

      assert.deepEqual(appended, {
        type: "appended",
        seqs: [lastSeq + 1, lastSeq + 2],
        lastSeq: lastSeq + 2,
      });
      const { entries } = await other.read("s", { after: lastSeq });
      assert.deepEqual(
        entries.map(({ id, seq }) => [id, seq]),
        [
          ["a", lastSeq + 1],
          ["b", lastSeq + 2],
          ["c", lastSeq + 3],
        ],
      );
    },

    "an append without a head keeps the current one": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s", { status: "running", title: "Trains" });
      const before = (await other.list()).sessions[0]?.head;

      await repository.append("s", [owned("a")], { lease });

      const after = await other.list();
      assert.deepEqual(after.sessions[0]?.head, before);
      assert.equal(after.sessions[0]?.lastSeq, 2);
    },

    "seqs increase from write to write, across handles": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s");

      await repository.append("s", [owned("a")], { lease, head: head() });
      await other.post("s", posted("b"));
      await repository.append("s", [owned("c"), owned("d")], { lease, head: head() });
      await other.post("s", posted("e"));

      const entries = await readAll(other, "s");
      assert.deepEqual(
        entries.map(({ id }) => id),
        ["created", "a", "b", "c", "d", "e"],
      );
      const seqs = entries.map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        [...new Set(seqs)].sort((a, b) => a - b),
      );
    },

    "many concurrent writes each get their own seq": async ({ repository, other }) => {
      await begin(repository, "s");
      const ids = Array.from({ length: 100 }, (_, i) => `p${i}`);

      const posts = await Promise.all(
        ids.map(async (id, i) => (i % 2 === 0 ? repository : other).post("s", posted(id))),
      );

      const stored = (await readAll(repository, "s")).slice(1);
      assert.equal(new Set(stored.map(({ seq }) => seq)).size, ids.length);
      const seqs = new Map(stored.map(({ id, seq }) => [id, seq]));
      assert.deepEqual(
        ids.map((id) => seqs.get(id)),
        posts.map(({ seq }) => seq),
      );
    },

    "a reader continues after the entry it names": async ({ repository }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      const entries = ["a", "b", "c", "d"].map(owned);
      await repository.append("s", entries, { lease, head: head() });

      const page = await repository.read("s", { after: lastSeq + 1, limit: 2 });
      const beyond = await repository.read("s", { after: lastSeq + 4 });

      assert.deepEqual(
        page.entries.map(({ id }) => id),
        ["b", "c"],
      );
      assert.equal(page.lastSeq, lastSeq + 4);
      assert.deepEqual([beyond.entries, beyond.lastSeq], [[], lastSeq + 4]);
    },

    "a reader that wants a checkpoint gets a log from there on, or from its first entry": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      const title = 'A "checkpoint":1, {"checkpoint":1} and \ud800 \u0000';
      const checkpoint = lastSeq + 2;
      const entries = ["a", "b", "c"].map(owned);
      await repository.append("s", entries, { lease, head: head({ title, checkpoint }) });

      const from = await other.read("s", { fromCheckpoint: true });
      const limited = await other.read("s", { fromCheckpoint: true, limit: 1 });
      const after = await other.read("s", { fromCheckpoint: true, after: lastSeq });

      const all = ["created", "a", "b", "c"];
      const ids = from.entries.map(({ id }) => id);
      assert.deepEqual(ids, from.entries[0]?.seq === checkpoint ? ["b", "c"] : all);
      assert.equal(limited.entries[0]?.id, ids[0]);
      assert.deepEqual([limited.entries.length, from.lastSeq], [1, lastSeq + 3]);
      assert.equal(from.incarnation, after.incarnation);
      assert.deepEqual(
        after.entries.map(({ id }) => id),
        ["a", "b", "c"],
      );
    },

    "a reader that wants a checkpoint of a session without one gets its whole log": async ({
      repository,
      other,
    }) => {
      await begin(repository, "s");
      await repository.create("empty", [], head({ seen: 0 }));

      const { entries } = await other.read("s", { fromCheckpoint: true });
      const empty = await other.read("empty", { fromCheckpoint: true });
      await failsWith("not_found", () => other.read("none", { fromCheckpoint: true }));

      assert.deepEqual(
        entries.map(({ id }) => id),
        ["created"],
      );
      assert.deepEqual([empty.entries, empty.lastSeq], [[], 0]);
    },

    "a reader that wants a checkpoint beyond the end of the log gets nothing, or the whole log":
      async ({ repository, other }) => {
        const { lease, lastSeq } = await beginOwned(repository, "s");
        for (const checkpoint of [lastSeq + 2, 10_000, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
          await repository.append("s", [], { lease, head: head({ checkpoint }) });

          const page = await other.read("s", { fromCheckpoint: true });

          const ids = page.entries.map(({ id }) => id);
          assert.deepEqual(ids, ids.length === 0 ? [] : ["created"]);
          assert.equal(page.lastSeq, lastSeq);
        }
      },

    "two sessions never see each other's entries": async ({ repository, other }) => {
      const left = await beginOwned(repository, "left");
      const right = await beginOwned(other, "right");

      await repository.append("left", [owned("e")], { lease: left.lease, head: head() });
      await other.append("right", [owned("e")], { lease: right.lease, head: head() });
      await other.post("left", posted("only-left"));
      await repository.post("right", posted("only-right"));

      assert.deepEqual(await readIds(repository, "left"), ["created", "e", "only-left"]);
      assert.deepEqual(await readIds(repository, "right"), ["created", "e", "only-right"]);
    },

    "ids that look alike, or like paths, belong to different sessions": async ({ repository }) => {
      const ids = ["a", "A", "a ", "a/b", "a/../a", "../a", "a%2Fb", "a\\b", "ä🙂", "a.b", "con"];

      await Promise.all(
        ids.map(async (id) => repository.create(id, [created(`of ${id}`)], head())),
      );

      const stored = await Promise.all(ids.map(async (id) => readIds(repository, id)));
      assert.deepEqual(
        stored,
        ids.map((id) => [`of ${id}`]),
      );
    },
  },
};
