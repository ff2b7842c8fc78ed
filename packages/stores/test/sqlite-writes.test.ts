import { join } from "node:path";
import type { Claim, Lease } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { sqlite } from "@capstan/stores/sqlite";
import { expect, test } from "vitest";
import { created, entry, head, readIds } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const many = Array.from({ length: 20 }, (_, i) => `s${i}`);

async function leasesOf(store: StoreHandle): Promise<Lease[]> {
  const claims = many.map(async (id) => {
    await store.create(id, [created()], head());
    return (await store.acquire(id, "first", 60_000)) as Claim;
  });
  return (await Promise.all(claims)).map(({ lease }) => lease);
}

test("a few writes of one tick are answered at once, and those of many sessions together", async () => {
  using folder = temporaryFolder();
  await using store = sqlite(join(folder.path, "s.db"));
  const leases = await leasesOf(store);
  await new Promise(setImmediate);

  const answers = leases.map((lease) => store.append(lease.sessionId, [entry("e")], { lease }));

  const isLater = answers.map((answer) => answer instanceof Promise);
  expect(isLater.slice(0, 4)).toEqual([false, false, false, false]);
  expect(isLater.slice(4)).toEqual(many.slice(4).map(() => true));
  const appended = await Promise.all(answers.map(async (answer) => answer));
  expect(appended).toEqual(many.map(() => ({ type: "appended", seqs: [2], lastSeq: 2 })));
});

test.each(["normal", "full"] as const)(
  "%s: of writes that are made together one that is refused harms no other, and leaves nothing",
  async (durability) => {
    using folder = temporaryFolder();
    await using store = sqlite(join(folder.path, "s.db"), { durability });
    const leases = await leasesOf(store);

    const writes = leases.map(async (lease, i) => {
      const last = i === 10 ? "created" : "last";
      return store.append(lease.sessionId, [entry("first"), entry(last)], { lease });
    });
    const outcomes = await Promise.allSettled(writes);

    const refused = outcomes.flatMap(({ status }, i) => (status === "rejected" ? [i] : []));
    expect(refused).toEqual([10]);
    expect(await readIds(store, "s10")).toEqual(["created"]);
    expect(await readIds(store, "s9")).toEqual(["created", "first", "last"]);
    expect(await readIds(store, "s19")).toEqual(["created", "first", "last"]);
  },
);

test("writes to a session keep their order, whether they are answered at once or later", async () => {
  using folder = temporaryFolder();
  await using store = sqlite(join(folder.path, "s.db"));
  await leasesOf(store);
  await new Promise(setImmediate);
  const post = async (session: string, id: string): Promise<unknown> =>
    store.post(session, entry(id));

  // The second post to the last session comes when its tick is over, and those that wait are not written yet.
  const first = post("s0", "first");
  const second = new Promise(setImmediate).then(() => post("s19", "second"));
  const others = many.slice(1).map((session) => post(session, "first"));
  await Promise.all([first, second, ...others]);

  expect(await readIds(store, "s19")).toEqual(["created", "first", "second"]);
});

test("what waits to be written when a store is closed is written", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  const store = sqlite(path, { durability: "full" });

  const creating = store.create("s", [created()], head());
  await store.close();
  await creating;

  await using again = sqlite(path);
  expect(await readIds(again, "s")).toEqual(["created"]);
});
