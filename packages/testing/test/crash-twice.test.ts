import type { CrashScenario, CrashSummary } from "@capstan/testing/crash";
import { crashScenarios, describeFailure, exploreSecondCrashes } from "@capstan/testing/crash";
import { expect, test } from "vitest";

const explored = new Map<CrashScenario, Promise<CrashSummary>>();

test.each(crashScenarios)(
  "$name: the process that goes on may be killed as well",
  async (scenario) => {
    const { runs, points, failures } = await exploreOnce(scenario);

    expect(failures.map(describeFailure).join("\n")).toBe("");
    // Most runs have two kills, the first ones of a stretch only one.
    expect(runs).toBeGreaterThan(5);
    expect(points).toBeGreaterThan(runs);
  },
  60_000,
);

test("all scenarios together are run more than 6,000 times", async () => {
  const runs = await runsInAll();

  expect(runs).toBeGreaterThan(6_000);
}, 600_000);

/** Explores a scenario for the first test that asks, so that each test can also run by itself. */
function exploreOnce(scenario: CrashScenario): Promise<CrashSummary> {
  const summary = explored.get(scenario) ?? exploreSecondCrashes(scenario, { maxFailures: 3 });
  explored.set(scenario, summary);
  return summary;
}

/** One after the other: side by side they would only share the same core. */
async function runsInAll(): Promise<number> {
  let total = 0;
  for (const scenario of crashScenarios) {
    const { runs } = await exploreOnce(scenario);
    total += runs;
  }
  return total;
}
