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
