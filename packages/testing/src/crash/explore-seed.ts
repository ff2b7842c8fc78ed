/** Runs generated from seeds. */
import type { CrashRun } from "./crash-run.ts";
import type { CrashSummary } from "./explore.ts";
import { toFailure } from "./explore.ts";
import { randomCrashRun } from "./random-run.ts";
import type { CrashOptions } from "./run-crash.ts";
import { runCrash } from "./run-crash.ts";
import { shrinkCrash } from "./shrink.ts";

/** Options of `exploreSeed`. */
export interface SeedOptions extends Omit<CrashOptions, "expected"> {
  /** True, the default, to shrink a failing run before it is reported. */
  readonly shrinks?: boolean;
}

/** Runs the scenario of this seed, first without faults and then with them. */
export async function exploreSeed(seed: number, options: SeedOptions = {}): Promise<CrashSummary> {
  const { shrinks = true, ...rest } = options;
  const disturbed = randomCrashRun(seed);
  const { order: _order, ...calm }: CrashRun = { ...disturbed, faults: [] };
  const before = await runCrash(calm, rest);
  const after = await runCrash(disturbed, { ...rest, expected: before.final });
  const runs = [
    { run: calm, report: before },
    { run: disturbed, report: after },
  ];
  const failures = [];
  for (const { run, report } of runs) {
    const [first] = report.violations;
    if (first === undefined) continue;
    if (!shrinks) failures.push(toFailure(run, report));
    else failures.push(await shrinkCrash(toFailure(run, report), rest));
  }
  return { runs: runs.length, points: before.points.length + after.points.length, failures };
}
