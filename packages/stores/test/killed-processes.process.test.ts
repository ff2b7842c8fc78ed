import { expect, test } from "vitest";
import { localKinds, openStore } from "./open-store.ts";
import { created, entry, head, readIds } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { WorkerProcess } from "./worker-process.ts";

async function acknowledgedBy(workers: readonly WorkerProcess[]): Promise<string[]> {
  return workers.flatMap(({ lines }) => lines).flatMap((line) => line.split(" "));
}

test.each(localKinds)(
  "%s: what a process was told to be written is there after it was killed in the middle of writing",
  async (kind) => {
    using folder = temporaryFolder();
    await using store = openStore(kind, folder.path);
    await store.create("s", [created()], head());
    const acknowledged: string[] = [];

    for (const count of [1, 20, 50, 7, 120]) {
      const worker = new WorkerProcess({ kind, where: folder.path, task: "append" });
      await worker.told(count);
      await worker.kill();
      acknowledged.push(...(await acknowledgedBy([worker])));
    }

    const ids = await readIds(store, "s");
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(acknowledged));
    // At most the one append of each that was under way may be there as well.
    expect(ids.length - 1 - acknowledged.length).toBeLessThanOrEqual(5 * 3);
  },
);

test.each(localKinds)(
  "%s: a session of a process that was killed is taken over at once, long before its lease is over",
  async (kind) => {
    using folder = temporaryFolder();
    await using store = openStore(kind, folder.path);
    await store.create("s", [created()], head());
    await store.create("due", [created()], head({ status: "running" }));
    const holders = ["s", "due"].map(
      (session) => new WorkerProcess({ kind, where: folder.path, task: "hold", session }),
    );
    await Promise.all(holders.map((holder) => holder.told(1)));
    const query = { agents: ["helper"], owner: "next", ttlMs: 1_000 };
    const whileAlive = [await store.acquire("s", "next", 1_000), await store.claimDue(query)];

    await Promise.all(holders.map((holder) => holder.kill()));

    expect(whileAlive).toEqual([undefined, []]);
    const [claim] = await store.claimDue(query);
    expect(claim?.lease).toEqual({ sessionId: "due", owner: "next", epoch: 2 });
    expect((await store.acquire("s", "next", 1_000))?.lease.epoch).toBe(2);
  },
);

test.each(localKinds)("%s: a process that only stands still keeps its session", async (kind) => {
  using folder = temporaryFolder();
  await using store = openStore(kind, folder.path);
  await store.create("s", [created()], head({ status: "running" }));
  const holder = new WorkerProcess({ kind, where: folder.path, task: "hold" });
  await holder.told(1);

  holder.child.kill("SIGSTOP");

  expect(await store.acquire("s", "next", 1_000)).toBeUndefined();
  expect(await store.claimDue({ agents: ["helper"], owner: "next", ttlMs: 1_000 })).toEqual([]);
  await holder.kill();
});

test.each(localKinds)(
  "%s: many processes write to one session at once, some are killed, and nothing is lost, doubled or out of line",
  // SQLite's lock is not fair: beside processes that write without a pause, others wait for it ever longer if the disk is slow.
  { timeout: 120_000 },
  async (kind) => {
    using folder = temporaryFolder();
    await using store = openStore(kind, folder.path);
    await store.create("s", [created()], head());
    const task = (each: string): WorkerProcess =>
      new WorkerProcess({ kind, where: folder.path, task: each });
    const owner = task("append");
    const posters = [task("post-100"), task("post-100")];
    const doomed = task("post-forever");

    await Promise.all([owner.told(30), doomed.told(30)]);
    await Promise.all([doomed.kill(), ...posters.map((poster) => poster.ended())]);
    await owner.kill();
    await store.post("s", entry("last"));

    const acknowledged = await acknowledgedBy([owner, doomed, ...posters]);
    const ids = await readIds(store, "s");
    expect(ids).toEqual(expect.arrayContaining([...acknowledged, "last"]));
    expect(new Set(ids).size).toBe(ids.length);
    expect(posters.map(({ lines }) => lines.length)).toEqual([100, 100]);
  },
);
