import { crashScenarios, describeFailure, exploreCrashes, runCrash } from "@capstan/testing/crash";
import { expect, test } from "vitest";

test.each(crashScenarios)(
  "$name: no crash at any point does harm, with a store that takes its time",
  async (scenario) => {
    const { runs, points, failures } = await exploreCrashes(scenario, {
      modes: ["async"],
      maxFailures: 3,
    });

    expect(failures.map(describeFailure).join("\n")).toBe("");
    // The first run has no fault. In each of the others its fault came to pass.
    expect(points).toBe(runs - 1);
    expect(points).toBeGreaterThan(50);
  },
  60_000,
);

test("these are thousands of points", async () => {
  const counts = await Promise.all(
    crashScenarios.map(async (scenario) => {
      const { points } = await runCrash({ scenario, mode: "async", faults: [] });
      // A kill before and after each, and the scenario's other faults.
      return points.length * 2 * (1 + (scenario.alsoAtEveryPoint?.length ?? 0));
    }),
  );

  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(7_000);
});
