import { setImmediate } from "node:timers/promises";
import { memoryRepository } from "@capstan/log";
import type { MemoryRepository, SessionRepository } from "@capstan/log";
import { manualClock } from "@capstan/testing";
import { storeContract } from "@capstan/testing/stores";
import type { StoreUnderTest } from "@capstan/testing/stores";
import { expect, test } from "vitest";
import { brokenIncarnations } from "./broken-incarnations.ts";
import { brokenLeases } from "./broken-leases.ts";
import { brokenReads } from "./broken-reads.ts";
import { brokenStarts } from "./broken-starts.ts";
import { brokenWrites } from "./broken-writes.ts";

const brokenStores = [
  ...brokenWrites,
  ...brokenStarts,
  ...brokenLeases,
  ...brokenReads,
  ...brokenIncarnations,
];

interface Outcome {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: ReadonlyMap<string, string>;
}

/** Runs the contract, or one test of it, in a framework that only keeps what came of each. */
async function runContract(create: () => StoreUnderTest, sentence?: string): Promise<Outcome> {
  const runs: (() => Promise<void>)[] = [];
  const passed: string[] = [];
  const failed: string[] = [];
  const skipped = new Map<string, string>();
  storeContract("under test", create, {
    describe: (_, define) => define(),
    test: (name, run) => {
      if (sentence !== undefined && sentence !== name) return;
      const skip = (reason: string): void => {
        skipped.set(name, reason);
      };
      const keep = (list: string[]) => () => {
        if (!skipped.has(name)) list.push(name);
      };
      runs.push(() => run({ skip }).then(keep(passed), keep(failed)));
    },
  });
  for (const run of runs) await run();
  return { passed, failed, skipped };
}

/** On a clock that moves by hand. It has no second handle, and its wake-ups come at once or never. */
function storeOf(
  change: (intact: MemoryRepository) => SessionRepository = (intact) => intact,
): StoreUnderTest {
  const clock = manualClock();
  const repository = change(memoryRepository({ now: clock.now }));
  return { repository, ...clock, patienceMs: 40, readsFromCheckpoints: true };
}

/** With a second handle, and with calls that take a while to get to the store, as to a database. */
function distantStore(): StoreUnderTest {
  const clock = manualClock();
  const near = memoryRepository({ now: clock.now });
  return { repository: distant(near), reopen: () => distant(near), ...clock };
}

function distant(near: MemoryRepository): SessionRepository {
  return {
    create: later(near.create),
    append: later(near.append),
    post: later(near.post),
    read: later(near.read),
    list: later(near.list),
    delete: later(near.delete),
    acquire: later(near.acquire),
    renew: later(near.renew),
    release: later(near.release),
    claimDue: later(near.claimDue),
    putBlob: later(near.putBlob),
    getBlob: later(near.getBlob),
    subscribe: near.subscribe,
  };
}

function later<Args extends unknown[], T>(call: (...args: Args) => T) {
  return async (...args: Args): Promise<T> => {
    await setImmediate();
    return call(...args);
  };
}

function unreadable(intact: MemoryRepository): SessionRepository {
  return { ...intact, read: () => Promise.reject(new Error("the disk is gone")) };
}

test("an intact store fails no test of the contract", async () => {
  const { passed, failed } = await runContract(() => storeOf());

  expect(failed).toEqual([]);
  expect(passed.length).toBeGreaterThan(100);
});

test("an intact store that takes its time and has a second handle fails none either", async () => {
  const { failed, skipped } = await runContract(distantStore);

  expect(failed).toEqual([]);
  expect(new Set(skipped.values())).toEqual(
    new Set(["this store has no live frames", "this store reads every log from its first entry"]),
  );
});

test("what a store does not have is skipped, with the reason", async () => {
  const { skipped } = await runContract(() => storeOf());

  expect(new Set(skipped.values())).toEqual(
    new Set(["nothing in this store outlives its only handle"]),
  );
  expect([...skipped.keys()]).toContain("a new handle finds entries, head and blobs");
});

test.each(brokenStores)("a store is caught in which $fault", async ({ from, sentence }) => {
  const { failed } = await runContract(() => storeOf(from), sentence);

  expect(failed).toEqual([sentence]);
});

test("every store that was made is closed, also after a failure", async () => {
  let made = 0;
  let closed = 0;
  const close = (): void => {
    closed += 1;
  };

  const { failed } = await runContract(() => {
    made += 1;
    return { ...storeOf(unreadable), close };
  });

  expect(failed.length).toBeGreaterThan(0);
  expect(closed).toBe(made);
});
