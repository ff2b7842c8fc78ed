import { crashScenarios, describeFailure, exploreCrashes } from "@capstan/testing/crash";
import { expect, test } from "vitest";

let total = 0;

test.each(crashScenarios)(
  "$name: no crash at any point does harm, with a store that takes its time",
  async (scenario) => {
    const { points, failures } = await exploreCrashes(scenario, {
      modes: ["async"],
      maxFailures: 3,
    });
    total += points;

    expect(failures.map(describeFailure).join("\n")).toBe("");
  },
  60_000,
);

test("these are thousands of points", () => {
  console.log(`${total} points with a store that takes its time`);

  expect(total).toBeGreaterThan(7_000);
});
