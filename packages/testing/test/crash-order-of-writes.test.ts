/** For each row of "Order of writes" in docs/specs/storage.md, the simulator catches a host that does not wait for the write. */
import type { CrashFailure, CrashScenario, CrashViolationCode } from "@capstan/testing/crash";
import { exploreCrashes, exploreSecondCrashes, findScenario } from "@capstan/testing/crash";
import { expect, test } from "vitest";
import {
  fatalOrderFaults,
  fatalOrderFaultsOfSuccessors,
  visibleOrderFaults,
} from "./planted-order-faults.ts";

test.each(fatalOrderFaults)(
  "only a kill shows that $entry is not durable in time",
  async ({ scenario, caughtAs, alterHost }) => {
    const { failures } = await exploreCrashes(withKillsOnly(scenario), {
      alterHost,
      modes: ["sync"],
      maxFailures: 3,
    });

    expect(codesOf(failures)).toContain(caughtAs);
    expect(failures.filter(({ run }) => run.faults.length === 0)).toEqual([]);
  },
);

test.each(fatalOrderFaultsOfSuccessors)(
  "only the kill of a successor shows that $entry is not durable in time",
  async ({ scenario, caughtAs, alterHost }) => {
    const { failures } = await exploreSecondCrashes(withKillsOnly(scenario), {
      alterHost,
      modes: ["sync"],
      maxFailures: 3,
      firstEvery: 10,
      secondEvery: 1,
    });

    expect(codesOf(failures)).toContain(caughtAs);
    expect(failures.filter(({ run }) => run.faults.length < 2)).toEqual([]);
  },
);

test.each(visibleOrderFaults)(
  "every run shows that $entry is not durable in time",
  async ({ scenario, caughtAs, alterHost }) => {
    const { failures } = await exploreCrashes(withKillsOnly(scenario), {
      alterHost,
      modes: ["sync"],
      maxFailures: 1,
    });

    expect(codesOf(failures)).toContain(caughtAs);
    expect(failures.flatMap(({ run }) => run.faults)).toEqual([]);
  },
);

function withKillsOnly(name: string): CrashScenario {
  return { ...findScenario(name), alsoAtEveryPoint: [] };
}

function codesOf(failures: readonly CrashFailure[]): readonly CrashViolationCode[] {
  return failures.flatMap(({ violations }) => violations.map(({ code }) => code));
}
