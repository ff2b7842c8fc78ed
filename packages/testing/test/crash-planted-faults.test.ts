import { exploreCrashes, findScenario } from "@capstan/testing";
import { expect, test } from "vitest";
import { plantedFaults } from "./planted-faults.ts";
import { plantedSessionFaults } from "./planted-session-faults.ts";

test.each([...plantedFaults, ...plantedSessionFaults])(
  "the simulator catches that $name",
  async ({ scenario, caughtAs, createStore }) => {
    const { failures } = await exploreCrashes(findScenario(scenario), {
      createStore,
      maxFailures: 2,
    });

    const codes = failures.flatMap(({ violations }) => violations.map(({ code }) => code));
    expect(new Set(codes)).toContain(caughtAs);
  },
);
