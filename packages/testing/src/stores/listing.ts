/** Listing sessions, newest first. */
import assert from "node:assert/strict";
import type { ListQuery, SessionRepository } from "@capstan/log";
import { begin, beginOwned, head, owned, posted } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";
import { listAll } from "./walk.ts";

async function listedIds(repository: SessionRepository, query: ListQuery = {}): Promise<string[]> {
  return (await listAll(repository, query)).map(({ id }) => id);
}

/** `s1` is the oldest. */
async function beginSeries(repository: SessionRepository, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, i) =>
      begin(repository, `s${i + 1}`, { updatedAt: 1_000 + 10 * i }),
    ),
  );
}

export const listing: StoreTheme = {
  name: "the list",
  cases: {
    "a store without sessions has an empty list": async ({ repository }) => {
      assert.deepEqual(await repository.list(), { sessions: [] });
    },

    "sessions are listed with their heads and last seqs, newest first": async ({
      repository,
      other,
    }) => {
      await begin(repository, "old", { updatedAt: 1_000, title: "old" });
      await begin(repository, "new", { updatedAt: 2_000, title: "new" });
      await repository.post("old", posted("p"));

      assert.deepEqual(await other.list(), {
        sessions: [
          { id: "new", head: head({ updatedAt: 2_000, title: "new" }), lastSeq: 1 },
          { id: "old", head: head({ updatedAt: 1_000, title: "old" }), lastSeq: 2 },
        ],
      });
    },

    "an append moves a session according to its head": async ({ repository }) => {
      await beginSeries(repository, 3);
      const claim = await repository.acquire("s1", "first", 1_000);
      assert.ok(claim);

      await repository.append("s1", [owned("e")], {
        lease: claim.lease,
        head: head({ updatedAt: 9_000 }),
      });

      assert.deepEqual(await listedIds(repository), ["s1", "s3", "s2"]);
    },

    "sessions of the same time are listed by id, in descending order": async ({ repository }) => {
      await begin(repository, "b");
      await begin(repository, "c");
      await begin(repository, "a");

      assert.deepEqual(await listedIds(repository, { limit: 1 }), ["c", "b", "a"]);
    },

    "pages have the requested length, and the last one has no `next`": async ({ repository }) => {
      await beginSeries(repository, 4);

      const first = await repository.list({ limit: 2 });
      assert.ok(first.next !== undefined);
      const second = await repository.list({ limit: 2, after: first.next });

      assert.deepEqual(
        [first, second].map(({ sessions }) => sessions.map(({ id }) => id)),
        [
          ["s4", "s3"],
          ["s2", "s1"],
        ],
      );
      assert.equal(second.next, undefined);
    },

    "a page has fifty sessions by default": async ({ repository }) => {
      await beginSeries(repository, 51);

      const page = await repository.list();

      assert.equal(page.sessions.length, 50);
      assert.ok(page.next !== undefined);
    },

    "a page continues after the previous one, whatever has moved in the meantime": async ({
      repository,
    }) => {
      await beginSeries(repository, 5);
      const { lease } = await beginOwned(repository, "moving", { updatedAt: 1_035 });

      const first = await repository.list({ limit: 3 });
      await repository.append("moving", [], { lease, head: head({ updatedAt: 5_000 }) });
      await begin(repository, "newest", { updatedAt: 6_000 });
      assert.ok(first.next !== undefined);
      const second = await repository.list({ limit: 3, after: first.next });

      assert.deepEqual(
        [first, second].map(({ sessions }) => sessions.map(({ id }) => id)),
        [
          ["s5", "moving", "s4"],
          ["s3", "s2", "s1"],
        ],
      );
    },

    "a page continues even if the last session of the previous one is gone": async ({
      repository,
    }) => {
      await beginSeries(repository, 4);
      const first = await repository.list({ limit: 2 });
      assert.ok(first.next !== undefined);

      await repository.delete("s3");
      const second = await repository.list({ limit: 2, after: first.next });

      assert.deepEqual(
        second.sessions.map(({ id }) => id),
        ["s2", "s1"],
      );
    },

    "the list can be filtered by agent, principal, status, or all three": async ({
      repository,
    }) => {
      await begin(repository, "s1", { agent: "a", principal: "p", status: "idle" });
      await begin(repository, "s2", { agent: "a", principal: "q", status: "running" });
      await begin(repository, "s3", { agent: "b", principal: "p", status: "running" });
      await begin(repository, "s4", { agent: "b", status: "error" });

      assert.deepEqual(await listedIds(repository, { agent: "a" }), ["s2", "s1"]);
      assert.deepEqual(await listedIds(repository, { principal: "p" }), ["s3", "s1"]);
      assert.deepEqual(await listedIds(repository, { status: "running" }), ["s3", "s2"]);
      const all = { agent: "b", principal: "p", status: "running" } as const;
      assert.deepEqual(await listedIds(repository, all), ["s3"]);
      assert.deepEqual(await listedIds(repository, { principal: "nobody" }), []);
    },

    "pages of a filtered list have the requested length": async ({ repository }) => {
      await beginSeries(repository, 6);
      await begin(repository, "x1", { agent: "x", updatedAt: 1_005 });
      await begin(repository, "x2", { agent: "x", updatedAt: 1_035 });
      await begin(repository, "x3", { agent: "x", updatedAt: 1_045 });

      const page = await repository.list({ agent: "x", limit: 2 });

      assert.deepEqual(
        page.sessions.map(({ id }) => id),
        ["x3", "x2"],
      );
      assert.deepEqual(await listedIds(repository, { agent: "x", limit: 2 }), ["x3", "x2", "x1"]);
    },
  },
};
