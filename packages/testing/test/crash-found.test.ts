/** Random runs that have found a fault. */
import { parseCrashRun, runCrash } from "@capstan/testing/crash";
import { expect, test } from "vitest";

const found: readonly [what: string, seed: number][] = [
  ["a turn whose compaction the store fails to take is resumed", 7_363],
  ["a turn that compacts on request while its store fails is resumed", 304_705],
  ["a reader that comes to a host with a deleted session in memory gets no event twice", 4_753],
];

test.each(found)("%s", async (_, seed) => {
  const { violations } = await runCrash(parseCrashRun(JSON.stringify({ seed })));

  expect(violations).toEqual([]);
});
