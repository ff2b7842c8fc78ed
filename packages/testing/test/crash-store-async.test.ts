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
    expect(points).toBeGreaterThan(20);
  },
  60_000,
);

test("these are thousands of runs", async () => {
  const counts = await Promise.all(
    crashScenarios.map(async ({ alsoAtEveryPoint = [], ...scenario }) => {
      const { points, moments } = await runCrash({ scenario, mode: "async", faults: [] });
      // A kill at each moment, and the scenario's other faults before and after each point.
      return moments.length + points.length * 2 * alsoAtEveryPoint.length;
    }),
  );

  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(7_000);
});
