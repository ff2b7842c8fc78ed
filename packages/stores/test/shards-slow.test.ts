/** Searches for due sessions in several databases while some of them are slow. Timers are moved by hand. */
import type { DueQuery } from "@capstan/log";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { byAge } from "../src/rows/list-rows.ts";
import { ShardedRepository } from "../src/shards/sharded-repository.ts";
import { shardOf } from "../src/shards/rendezvous.ts";
import { failureOf } from "./failure-of.ts";
import type { GatedShard } from "./gated-shard.ts";
import { gatedShard } from "./gated-shard.ts";
import { created, head } from "./samples.ts";

let shards: readonly GatedShard[] = [];
const warned = vi.spyOn(process, "emitWarning");
/** A claim waits 2 s. */
const query = { agents: ["helper"], owner: "me", ttlMs: 8_000, limit: 100 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  shards = ["a", "b", "c"].map(gatedShard);
  for (const shard of shards) shard.nextDueInMs = 9_000;
  warned.mockReset().mockImplementation(() => {});
});

afterEach(async () => {
  vi.useRealTimers();
  for (const { inside } of shards) await inside.close();
});

/** Five due sessions in each of the databases, in a store on all of them. */
async function fill(): Promise<ShardedRepository> {
  const store = new ShardedRepository(shards, byAge);
  const ids = Array.from({ length: 60 }, (_, n) => `s${n}`);
  for (const shard of shards) {
    const own = ids.filter((id) => shardOf(shards, id) === shard).slice(0, 5);
    for (const id of own) await store.create(id, [created()], head({ status: "running" }));
  }
  return store;
}

/** Claims that work on something are slow; those without agents have nothing to do. */
function isRealClaim(call: string, [given]: readonly unknown[]): boolean {
  return call === "claimDue" && (given as DueQuery).agents.length > 0;
}

interface Timed<T> {
  readonly value: T;
  readonly tookMs: number;
}

/** Then lets five seconds pass, as between two searches. */
async function timed<T>(call: () => Promise<T>): Promise<Timed<T>> {
  const startedAt = performance.now();
  const ended = call().then((value) => ({ value, tookMs: performance.now() - startedAt }));
  await vi.advanceTimersByTimeAsync(5_000);
  return ended;
}

/** Results of so many calls, one after another. */
async function timedInTurn<T>(count: number, call: () => Promise<T>): Promise<Timed<T>[]> {
  const results: Timed<T>[] = [];
  for (let n = 0; n < count; n += 1) results.push(await timed(call));
  return results;
}

function warnings(): string[] {
  return warned.mock.calls.map(([message]) => String(message));
}

test("a database whose claims are too slow delays one claim, is named once, and gives its sessions when it is fast again", async () => {
  const store = await fill();
  const [slow] = shards as [GatedShard];
  slow.delayMs = (call, values) => (isRealClaim(call, values) ? 4_000 : 0);

  const claims = await timedInTurn(6, () => store.claimDue(query));
  slow.delayMs = () => 0;
  const later = await timedInTurn(2, () => store.claimDue(query));

  expect(claims.map(({ tookMs }) => tookMs)).toEqual([2_000, 0, 0, 0, 0, 0]);
  expect(warnings()).toEqual([
    expect.stringMatching(/^Due sessions in the database a are not claimed until it is back/),
  ]);
  const ids = later.flatMap(({ value }) => value).map(({ lease }) => lease.sessionId);
  expect(ids.filter((id) => shardOf(shards, id) === slow)).toHaveLength(5);
});

test("a database that is slow to tell when a session is due delays one search, and no claim lacks its sessions", async () => {
  const store = await fill();
  const [slow, second] = shards as [GatedShard, GatedShard];
  slow.delayMs = (call) => (call === "nextDueInMs" ? 4_000 : 0);
  slow.nextDueInMs = 1_000;
  second.nextDueInMs = 3_000;
  const search = () => store.nextDueInMs?.(query.agents) ?? Promise.reject(new Error("absent"));

  const hints = await timedInTurn(3, search);
  const claims = await store.claimDue(query);
  slow.delayMs = () => 0;
  const later = await timedInTurn(2, search);

  expect(hints).toEqual([
    { value: 3_000, tookMs: 2_000 },
    { value: 3_000, tookMs: 0 },
    { value: 3_000, tookMs: 0 },
  ]);
  expect(claims).toHaveLength(15);
  expect(later.map(({ value }) => value)).toEqual([3_000, 1_000]);
  expect(warnings()).toEqual([]);
});

test("a database whose claims are too slow is not asked when its sessions are due", async () => {
  const store = await fill();
  const [slow] = shards as [GatedShard];
  slow.delayMs = () => 4_000;
  slow.nextDueInMs = 1_000;

  const [claimed] = await timedInTurn(1, () => store.claimDue(query));
  const hint = await timed(async () => store.nextDueInMs?.(query.agents));

  expect(claimed?.tookMs).toBe(2_000);
  expect(hint).toEqual({ value: 9_000, tookMs: 0 });
});

test("a search that has waited for one database does not wait for another", async () => {
  const store = await fill();
  const [silent, ...others] = shards as [GatedShard, GatedShard, GatedShard];
  silent.gate = "closed";
  // Would keep the search if it were asked for more than its share.
  for (const other of others) {
    other.delayMs = () =>
      other.calls.filter((name) => name === "claimDue").length > 1 ? 9_000 : 0;
  }

  const { value, tookMs } = await timed(() => store.claimDue({ ...query, limit: 9 }));

  expect([value.length, tookMs]).toEqual([6, 2_000]);
  silent.open();
});

test("databases that were all away at once are asked, and delay nothing when they are back", async () => {
  const store = await fill();
  const [first, second, third] = shards as [GatedShard, GatedShard, GatedShard];
  const only = { ...query, limit: 3 };
  // Each call lacks others, and at the end of both each database was away.
  first.gate = second.gate = "away";
  const claiming = store.claimDue(only);
  first.gate = "open";
  second.gate = third.gate = "away";
  await Promise.all([claiming, store.claimDue(only)]);

  first.gate = "away";
  const failed = await failureOf(() => store.claimDue(only));
  first.gate = second.gate = "open";
  third.gate = "closed";
  const later = await timedInTurn(2, () => store.claimDue(only));
  third.open();

  expect(failed).toMatchObject({ code: "unavailable" });
  expect(later.map(({ value, tookMs }) => [value.length, tookMs])).toEqual([
    [2, 2_000],
    [3, 0],
  ]);
  expect(warnings()).toHaveLength(3);
});

test("a database that does not take leases back keeps no claim", async () => {
  const store = await fill();
  const [slow] = shards as [GatedShard];
  const elsewhere = ["x", "y", "z"].find((id) => shardOf(shards, id) !== slow) ?? "";
  await slow.inside.create(elsewhere, [created()], head({ status: "running" }));
  slow.delayMs = (call) => (call === "release" ? 60_000 : 0);

  const { value, tookMs } = await timed(() => store.claimDue(query));

  expect([value.length, tookMs]).toEqual([15, 500]);
});
