import { crashScenarios, describeFailure, exploreSecondCrashes } from "@capstan/testing/crash";
import { expect, test } from "vitest";

test.each(crashScenarios)(
  "$name: the process that goes on may be killed as well",
  async (scenario) => {
    const { runs, points, failures } = await exploreSecondCrashes(scenario, { maxFailures: 3 });

    expect(failures.map(describeFailure).join("\n")).toBe("");
    // Most runs have two kills, the first ones of a stretch only one.
    expect(runs).toBeGreaterThan(15);
    expect(points).toBeGreaterThan(runs * 1.5);
  },
  60_000,
);
