/** For each row of "Order of writes" in docs/specs/storage.md, the simulator catches a host that does not wait for the write. */
import type {
  AlterHost,
  CrashFailure,
  CrashFault,
  CrashReport,
  CrashScenario,
  CrashViolationCode,
} from "@capstan/testing/crash";
import {
  exploreCrashes,
  exploreSecondCrashes,
  findScenario,
  runCrash,
} from "@capstan/testing/crash";
import { expect, test } from "vitest";
import {
  fatalOrderFaults,
  fatalOrderFaultsOfParents,
  fatalOrderFaultsOfSuccessors,
  harmlessOrderFaults,
  visibleOrderFaults,
} from "./planted-order-faults.ts";
import { runningAhead } from "./running-ahead.ts";

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

test.each(fatalOrderFaultsOfParents)(
  "only the kill of a parent's successor shows that $entry is not durable in time",
  async ({ scenario, caughtAs, alterHost, firstDeath }) => {
    const reports = await exploreDeathsAfter(firstDeath, withKillsOnly(scenario), alterHost);

    const codes = reports.map(({ violations }) => violations.map(({ code }) => code));
    expect(codes.flat()).toContain(caughtAs);
    // Without a second death nothing is wrong.
    expect(codes[0]).toEqual([]);
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

test.each(harmlessOrderFaults)(
  "no kill shows that $entry is not durable in time: $because ($scenario)",
  async ({ entry, scenario }) => {
    let heldBack = 0;
    const alterHost = runningAhead(entry, () => {
      heldBack += 1;
    });

    const { failures } = await exploreCrashes(withKillsOnly(scenario), {
      alterHost,
      modes: ["sync"],
      maxFailures: 1,
    });

    expect(heldBack).toBeGreaterThan(0);
    expect(failures).toEqual([]);
  },
);

/** Kills a process before the last point of this name, and then any other one at each of its moments. The first report is that of one death. */
async function exploreDeathsAfter(
  what: string,
  scenario: CrashScenario,
  alterHost: AlterHost,
): Promise<CrashReport[]> {
  const run = async (faults: readonly CrashFault[]): Promise<CrashReport> =>
    runCrash({ scenario, mode: "sync", faults }, { alterHost });
  const met = (await run([])).points.findLast((point) => point.what === what);
  if (met === undefined) throw new Error(`No process passes "${what}"`);
  const first: CrashFault = { process: met.process, point: met.point, side: "before", do: "kill" };
  const once = await run([first]);
  const reports = [once];
  for (const moment of once.moments.filter(({ process }) => process !== met.process)) {
    reports.push(await run([first, { ...moment, do: "kill" }]));
  }
  return reports;
}

function withKillsOnly(name: string): CrashScenario {
  return { ...findScenario(name), alsoAtEveryPoint: [] };
}

function codesOf(failures: readonly CrashFailure[]): readonly CrashViolationCode[] {
  return failures.flatMap(({ violations }) => violations.map(({ code }) => code));
}
