import { exploreCrashes, findScenario } from "@capstan/testing";
import { expect, test } from "vitest";
import { plantedFaults } from "./planted-faults.ts";

test.each(plantedFaults)(
  "the simulator catches that $name",
  async ({ scenario, caughtAs, createStore }) => {
    const { failures } = await exploreCrashes(findScenario(scenario), {
      createStore,
      maxFailures: 5,
    });

    const codes = failures.flatMap(({ violations }) => violations.map(({ code }) => code));
    expect(new Set(codes)).toContain(caughtAs);
  },
);
