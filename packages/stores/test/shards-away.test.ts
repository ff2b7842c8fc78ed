/** Answers of a store of several databases while some of them are away or slow. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { byAge } from "../src/rows/list-rows.ts";
import { ShardedRepository } from "../src/shards/sharded-repository.ts";
import { shardOf } from "../src/shards/rendezvous.ts";
import { failureOf } from "./failure-of.ts";
import type { GatedShard } from "./gated-shard.ts";
import { gatedShard } from "./gated-shard.ts";
import { created, head } from "./samples.ts";

let shards: readonly GatedShard[] = [];
const patience = { timeout: 15_000, interval: 10 };
const warned = vi.spyOn(process, "emitWarning");

beforeEach(() => {
  shards = ["a", "b", "c"].map(gatedShard);
  warned.mockReset().mockImplementation(() => {});
});

afterEach(async () => {
  for (const shard of shards) {
    shard.open();
    await shard.inside.close();
  }
});

/** Five due sessions in each of the databases, in a store on all of them. */
async function fill(): Promise<ShardedRepository> {
  const store = new ShardedRepository(shards, byAge);
  const due = head({ status: "running" });
  const ids = Array.from({ length: 60 }, (_, n) => `s${n}`);
  for (const shard of shards) {
    const own = ids.filter((id) => shardOf(shards, id) === shard).slice(0, 5);
    for (const id of own) await store.create(id, [created()], due);
  }
  return store;
}

const query = { agents: ["helper"], owner: "me", ttlMs: 60_000 };

async function listedIn(store: ShardedRepository): Promise<number[]> {
  const { sessions } = await store.list();
  return shards.map((shard) => sessions.filter(({ id }) => shardOf(shards, id) === shard).length);
}

function warnings(): string[] {
  return warned.mock.calls.map(([message]) => String(message));
}

test("an outage is told once, also if each claim asks only one database", async () => {
  const store = await fill();
  const [first] = shards as [GatedShard];
  first.gate = "away";

  const claimed: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    const claims = await store.claimDue({ ...query, limit: 1 });
    claimed.push(...claims.map(({ lease }) => lease.sessionId));
  }

  expect(new Set(claimed).size).toBe(10);
  expect(claimed).toHaveLength(10);
  expect(warnings()).toEqual([
    "Due sessions in the database a are not claimed until it is back: a is away",
  ]);
});

test("each outage of a database is told, and its sessions are listed in between", async () => {
  const store = await fill();
  const [first] = shards as [GatedShard];

  first.gate = "away";
  const without = await Promise.all([listedIn(store), listedIn(store)]);
  const toldOnce = warnings().length;
  first.gate = "open";
  await vi.waitFor(async () => expect(await listedIn(store)).toEqual([5, 5, 5]), patience);
  first.gate = "away";
  const again = await listedIn(store);

  expect(without).toEqual([
    [0, 5, 5],
    [0, 5, 5],
  ]);
  expect(again).toEqual([0, 5, 5]);
  expect([toldOnce, warnings().length]).toEqual([1, 2]);
});

test("a search asks a database again only if it gave all that it was asked for", async () => {
  const store = await fill();
  const [first, second, third] = shards as [GatedShard, GatedShard, GatedShard];
  first.gate = "away";

  const claims = await store.claimDue({ ...query, limit: 9 });

  const asked = [first, second, third].map(
    ({ calls }) => calls.filter((name) => name === "claimDue").length,
  );
  // Three of each, and then the two that the second has left, and one more of the third.
  expect(claims).toHaveLength(9);
  expect(asked).toEqual([1, 2, 2]);
});

test("a database that only refuses claims is listed all the time, and named once", async () => {
  const store = await fill();
  const [first] = shards as [GatedShard];
  first.refused = "claimDue";

  const listed: number[][] = [];
  for (let n = 0; n < 5; n += 1) {
    await store.claimDue({ ...query, limit: 100 });
    listed.push(await listedIn(store));
  }

  expect(listed).toEqual(Array(5).fill([5, 5, 5]));
  expect(warnings()).toEqual([
    "Due sessions in the database a are not claimed until it is back: a refuses claimDue",
  ]);
});

test.each([1, 10])(
  "if all databases are away, a claim of %i fails, and so does a list",
  async (limit) => {
    const store = await fill();
    for (const shard of shards) shard.gate = "away";

    const claiming = await failureOf(() => store.claimDue({ ...query, limit }));
    const listing = await failureOf(() => store.list());

    expect([claiming, listing]).toMatchObject([{ code: "unavailable" }, { code: "unavailable" }]);
    // No result lacks anything.
    expect(warnings()).toEqual([]);
  },
);

test("a database that does not answer delays nothing once that is known", async () => {
  const store = await fill();
  const [first] = shards as [GatedShard];
  first.gate = "away";
  await store.list();
  const some = await store.claimDue({ ...query, limit: 3 });

  first.gate = "closed";
  const listed = await listedIn(store);
  const claims = await store.claimDue({ ...query, limit: 100 });
  first.open();
  await vi.waitFor(async () => expect(await listedIn(store)).toEqual([5, 5, 5]), patience);
  const rest: unknown[] = [];
  await vi.waitFor(async () => {
    rest.push(...(await store.claimDue({ ...query, limit: 100 })));
    expect(rest).toHaveLength(5);
  }, patience);

  expect(listed).toEqual([0, 5, 5]);
  expect(some.length + claims.length).toBe(10);
});

test("a database that does not answer is asked once whether it is back", async () => {
  const store = await fill();
  const [first] = shards as [GatedShard];
  first.gate = "away";
  await store.list();
  first.gate = "closed";
  const before = first.calls.length;

  const lists = [await listedIn(store), await listedIn(store), await listedIn(store)];

  expect(lists).toEqual(Array(3).fill([0, 5, 5]));
  expect(first.calls.slice(before)).toEqual(["list"]);
});

test("leases that a database gives too late are given back, and those of others are not lost", async () => {
  const store = await fill();
  const [first] = shards as [GatedShard];
  first.gate = "closed";

  const claims = await store.claimDue({ ...query, ttlMs: 8_000, limit: 100 });
  first.open();
  const late: string[] = [];
  await vi.waitFor(async () => {
    const more = await store.claimDue({ ...query, limit: 100 });
    late.push(...more.map(({ lease }) => lease.sessionId));
    expect(late).toHaveLength(5);
  }, patience);

  expect(claims).toHaveLength(10);
  for (const { lease } of claims) await store.renew(lease, 60_000);
  expect(late.every((id) => shardOf(shards, id) === first)).toBe(true);
  expect(warnings()).toEqual([expect.stringContaining("has not answered within 2000 ms")]);
});

test("a database that fails to close does not keep the others from closing first", async () => {
  const store = await fill();
  const [first, second] = shards as [GatedShard, GatedShard];
  const events: string[] = [];
  first.gate = "away";
  second.gate = "closed";

  const closing = failureOf(() => store.close()).finally(() => events.push("over"));
  await vi.waitFor(() => expect(first.calls).toContain("close"), patience);
  await turnOfTheLoop();
  events.push("second may close");
  second.open();
  const failure = await closing;

  expect(events).toEqual(["second may close", "over"]);
  expect(failure).toMatchObject({ code: "unavailable", message: "a is away" });
  for (const { inside } of shards.slice(1)) {
    expect(await failureOf(() => inside.list())).toMatchObject({ code: "unavailable" });
  }
});

test("a closed store fails every call, and tells of no outage", async () => {
  const store = await fill();
  await store.close();

  const failures = [
    await failureOf(() => store.list()),
    await failureOf(() => store.claimDue(query)),
    await failureOf(() => store.read("s1")),
  ];

  const closed = { code: "unavailable", message: expect.stringContaining("is closed") };
  expect(failures).toMatchObject([closed, closed, closed]);
  expect(warnings()).toEqual([]);
});

test("a list that is under way when the store is closed tells of no outage", async () => {
  const store = await fill();
  const [first] = shards as [GatedShard];
  first.gate = "closed";

  const listing = listedIn(store);
  const closing = failureOf(() => store.close());
  first.open();
  first.gate = "away";
  const listed = await listing;
  await closing;

  expect(listed).toEqual([0, 5, 5]);
  expect(warnings()).toEqual([]);
});
