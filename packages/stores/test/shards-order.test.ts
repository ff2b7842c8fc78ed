/** Pages and claims of a store of several databases have every session once. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { byAge } from "../src/rows/list-rows.ts";
import { ShardedRepository } from "../src/shards/sharded-repository.ts";
import { shardOf } from "../src/shards/rendezvous.ts";
import type { GatedShard } from "./gated-shard.ts";
import { gatedShard } from "./gated-shard.ts";
import { created, head } from "./samples.ts";

let shards: readonly GatedShard[] = [];
const warned = vi.spyOn(process, "emitWarning");

beforeEach(() => {
  shards = ["a", "b", "c"].map(gatedShard);
  warned.mockReset().mockImplementation(() => {});
});

afterEach(async () => {
  for (const { inside } of shards) await inside.close();
});

const query = { agents: ["helper"], owner: "me", ttlMs: 60_000 };

/** So many ids whose sessions are in the first of two databases, and so many whose sessions are in the second. */
function idsOfTwo(first: number, second: number): [string[], string[]] {
  const two = shards.slice(0, 2);
  const ids = Array.from({ length: 20 * (first + second) }, (_, n) => `s${n}`);
  const own = ids.filter((id) => shardOf(two, id) === two[0]);
  const others = ids.filter((id) => shardOf(two, id) === two[1]);
  return [own.slice(0, first), others.slice(0, second)];
}

async function listAll(store: ShardedRepository, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.list({ limit, ...(after !== undefined && { after }) });
    ids.push(...page.sessions.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return ids;
}

test.each([1, 2, 3, 7])(
  "sessions of one moment are listed once in pages of %i, whatever their ids are made of",
  async (limit) => {
    const store = new ShardedRepository(shards, byAge);
    // In the order of bytes the last is the last; in that of UTF-16 the one before it is. One with a backslash is stored in another form.
    const letters = ["\0", "!", "\\", "a", "é", "\u{D800}", "\u{FFFD}", "\u{1F600}"];
    const ids = letters.flatMap((letter) => [1, 2, 3, 4, 5].map((n) => `${letter}${n}`));
    for (const id of ids) await store.create(id, [created()], head());

    const listed = await listAll(store, limit);

    expect(listed.toSorted()).toEqual(ids.toSorted());
  },
);

test("a session that is also in a database where it does not belong is listed and claimed once, and that is told", async () => {
  const store = new ShardedRepository(shards, byAge);
  const due = head({ status: "running" });
  const ids = Array.from({ length: 9 }, (_, n) => `s${n}`);
  for (const id of ids) await store.create(id, [created()], due);
  for (const id of ["s0", "s1"]) {
    const others = shards.filter((shard) => shard !== shardOf(shards, id));
    for (const { inside } of others) await inside.create(id, [created()], due);
  }

  const listed = await listAll(store, 2);
  const claims = [1, 2, 3, 4].map(() =>
    store.claimDue({ agents: ["helper"], owner: "me", ttlMs: 60_000, limit: 100 }),
  );
  const claimed = (await Promise.all(claims)).flat().map(({ lease }) => lease.sessionId);

  expect(listed.toSorted()).toEqual(ids);
  expect(claimed.toSorted()).toEqual(ids);
  const told = warned.mock.calls.map(([, options]) => options);
  expect(told).toContainEqual({ code: "CAPSTAN_SHARD_MISPLACED" });
  expect(told.length).toBeLessThanOrEqual(shards.length);
});

test("due sessions are claimed at once although many before them belong in another database, and the leases of those are given back", async () => {
  const store = new ShardedRepository(shards.slice(0, 2), byAge);
  const [{ inside }] = shards as [GatedShard];
  const [own, misplaced] = idsOfTwo(10, 30);
  for (const id of [...misplaced, ...own]) {
    await inside.create(id, [created()], head({ status: "running" }));
  }

  const polls: string[][] = [];
  for (const limit of [4, 4, 4, 4]) {
    const claims = await store.claimDue({ ...query, limit });
    polls.push(claims.map(({ lease }) => lease.sessionId));
  }

  expect(polls.map((ids) => ids.length)).toEqual([4, 4, 2, 0]);
  expect(polls.flat().toSorted()).toEqual(own.toSorted());
  for (const id of misplaced) expect(await inside.acquire(id, "mover", 1_000)).toBeDefined();
});

test("a database full of sessions that belong in another one does not keep a claim, and its own are reached", async () => {
  const store = new ShardedRepository(shards.slice(0, 2), byAge);
  const [{ inside, calls }] = shards as [GatedShard];
  const [own, misplaced] = idsOfTwo(3, 250);
  for (const id of [...misplaced, ...own]) {
    await inside.create(id, [created()], head({ status: "running" }));
  }

  const claimed: string[][] = [];
  const asked: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const before = calls.filter((name) => name === "claimDue").length;
    const claims = await store.claimDue({ ...query, limit: 10 });
    claimed.push(claims.map(({ lease }) => lease.sessionId));
    asked.push(calls.filter((name) => name === "claimDue").length - before);
  }

  expect(claimed).toEqual([[], [], expect.arrayContaining(own)]);
  // A hundred sessions, ten at a time, after five as its share.
  expect(asked.slice(0, 2)).toEqual([11, 11]);
});

test("one due session at a time is claimed in each of the databases in turn", async () => {
  const store = new ShardedRepository(shards, byAge);
  const ids = Array.from({ length: 60 }, (_, n) => `s${n}`);
  for (const id of ids) await store.create(id, [created()], head({ status: "running" }));

  const claimed: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const claims = await store.claimDue({ ...query, limit: 1 });
    claimed.push(...claims.map(({ lease }) => shardOf(shards, lease.sessionId).name));
  }

  expect(claimed.toSorted()).toEqual(["a", "a", "b", "b", "c", "c"]);
  expect(claimed.slice(0, 3)).toEqual(claimed.slice(3));
});

test("sessions after a page of misplaced ones keep their order, and come once", async () => {
  const store = new ShardedRepository(shards.slice(0, 2), byAge);
  const [{ inside }] = shards as [GatedShard];
  const [[older = "", oldest = ""], [newest = "", newer = "", between = ""]] = idsOfTwo(2, 3);
  for (const id of [newest, newer]) await inside.create(id, [created()], head({ updatedAt: 9 }));
  await inside.create(older, [created()], head({ updatedAt: 6 }));
  await store.create(between, [created()], head({ updatedAt: 4 }));
  await inside.create(oldest, [created()], head({ updatedAt: 2 }));

  const listed = await listAll(store, 2);

  expect(listed).toEqual([older, between, oldest]);
});
