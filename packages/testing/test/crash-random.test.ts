import {
  describeFailure,
  exploreSeed,
  parseCrashRun,
  randomCrashRun,
  runCrash,
} from "@capstan/testing/crash";
import { expect, test } from "vitest";

const seeds = Array.from({ length: 400 }, (_, index) => index + 1);

test("random scenarios with random faults do no harm", async () => {
  const failures: string[] = [];
  let points = 0;

  for (const seed of seeds) {
    const summary = await exploreSeed(seed, { shrinks: false });
    points += summary.points;
    failures.push(...summary.failures.map(describeFailure));
  }

  expect(failures.join("\n")).toBe("");
  expect(points).toBeGreaterThan(seeds.length);
}, 60_000);

test("the same run gives the same log, entry by entry", async () => {
  const run = parseCrashRun('{ "seed": 7 }');

  const [first, second] = [await runCrash(run), await runCrash(randomCrashRun(7))];

  expect(second.log).toEqual(first.log);
  expect(second.points).toEqual(first.points);
});
