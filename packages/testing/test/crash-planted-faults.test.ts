import { exploreCrashes, findScenario } from "@capstan/testing/crash";
import { expect, test } from "vitest";
import { plantedAgeFaults } from "./planted-age-faults.ts";
import { plantedCheckpointFaults } from "./planted-checkpoint-faults.ts";
import { plantedFaults } from "./planted-faults.ts";
import { plantedSessionFaults } from "./planted-session-faults.ts";
import { plantedStartFaults } from "./planted-start-faults.ts";

test.each([
  ...plantedFaults,
  ...plantedSessionFaults,
  ...plantedStartFaults,
  ...plantedAgeFaults,
  ...plantedCheckpointFaults,
])("the simulator catches that $name", async ({ scenario, caughtAs, ...altered }) => {
  const { failures } = await exploreCrashes(findScenario(scenario), {
    ...altered,
    maxFailures: 2,
  });

  const codes = failures.flatMap(({ violations }) => violations.map(({ code }) => code));
  expect(new Set(codes)).toContain(caughtAs);
});
