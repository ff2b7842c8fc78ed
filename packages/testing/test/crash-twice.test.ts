import { crashScenarios, describeFailure, exploreSecondCrashes } from "@capstan/testing/crash";
import { expect, test } from "vitest";

let total = 0;

test.each(crashScenarios)(
  "$name: the process that goes on may be killed as well",
  async (scenario) => {
    const { runs, failures } = await exploreSecondCrashes(scenario, { maxFailures: 3 });
    total += runs;

    expect(failures.map(describeFailure).join("\n")).toBe("");
  },
  60_000,
);

test("these are many pairs", () => {
  console.log(`${total} runs with two kills`);

  expect(total).toBeGreaterThan(3_000);
});
