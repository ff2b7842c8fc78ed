/** Explores every point of a scenario, on both sides, each with its own run. */
import type { CrashFault, CrashMode, CrashPoint, CrashReport, CrashRun } from "./crash-run.ts";
import type { FinalState } from "./final-state.ts";
import type { CrashOptions } from "./run-crash.ts";
import { runCrash } from "./run-crash.ts";
import type { CrashScenario } from "./scenario.ts";
import type { CrashViolation } from "./violation.ts";

/** A run with violations. */
export interface CrashFailure {
  readonly run: CrashRun;
  /** Points at which its faults occurred. */
  readonly points: readonly string[];
  readonly violations: readonly CrashViolation[];
  readonly log: CrashReport["log"];
}

/** Number of runs and crash points of an exploration, and the runs that failed. */
export interface CrashSummary {
  readonly runs: number;
  /** Number of faults that occurred. */
  readonly points: number;
  readonly failures: readonly CrashFailure[];
}

/** Options of an exploration. */
export interface ExploreOptions extends Omit<CrashOptions, "expected"> {
  /** Default both. */
  readonly modes?: readonly CrashMode[];
  /** Stops after this many failures. Default 10. */
  readonly maxFailures?: number;
}

/**
 * Runs the scenario once without a fault, then with a kill at every moment of this run that makes a difference, and with its other faults on
 * both sides of every point.
 */
export async function exploreCrashes(
  scenario: CrashScenario,
  options: ExploreOptions = {},
): Promise<CrashSummary> {
  const exploration = new Exploration(scenario, options);
  for (const mode of options.modes ?? bothModes) {
    const { points, moments, final } = await exploration.run(mode, []);
    for (const moment of moments) {
      await exploration.run(mode, [{ ...moment, do: "kill" }], final);
    }
    for (const { process, point } of points) {
      for (const action of scenario.alsoAtEveryPoint ?? []) {
        for (const side of bothSides) {
          await exploration.run(mode, [{ process, point, side, do: action }], final);
        }
      }
    }
  }
  return exploration.summary;
}

/** Options of an exploration with two crashes a run. */
export interface SecondCrashOptions extends ExploreOptions {
  /** The first kill is at every n-th point. Default 40. */
  readonly firstEvery?: number;
  /** The second kill is at every n-th point that other processes pass after it. Default 4. */
  readonly secondEvery?: number;
}

/** Kills a process, and then one that resumes its work. */
export async function exploreSecondCrashes(
  scenario: CrashScenario,
  options: SecondCrashOptions = {},
): Promise<CrashSummary> {
  const { firstEvery = 40, secondEvery = 4 } = options;
  const exploration = new Exploration(scenario, options);
  for (const mode of options.modes ?? bothModes) {
    const { points, final } = await exploration.run(mode, []);
    for (const first of killsAtEvery(firstEvery, points)) {
      const report = await exploration.run(mode, [first], final);
      for (const second of killsAtEvery(secondEvery, pointsAfter(first, report.points))) {
        await exploration.run(mode, [first, second], final);
      }
    }
  }
  return exploration.summary;
}

const bothModes = ["sync", "async"] as const;
const bothSides = ["before", "after"] as const;

/** Starts in the middle of the first interval, and alternates sides. */
function killsAtEvery(every: number, points: readonly CrashPoint[]): readonly CrashFault[] {
  return points
    .filter((_, index) => index % every === Math.floor(every / 2))
    .map(({ process, point }, index) => {
      const side = bothSides[index % 2] ?? "before";
      return { process, point, side, do: "kill" };
    });
}

/** Points that other processes pass after the first was killed. */
function pointsAfter(first: CrashFault, points: readonly CrashPoint[]): readonly CrashPoint[] {
  const at = points.findIndex(
    ({ process, point }) => process === first.process && point === first.point,
  );
  return points.slice(at + 1).filter(({ process }) => process !== first.process);
}

class Exploration {
  readonly #scenario: CrashScenario;
  readonly #options: ExploreOptions;
  readonly #failures: CrashFailure[] = [];
  #runs = 0;
  #points = 0;

  constructor(scenario: CrashScenario, options: ExploreOptions) {
    this.#scenario = scenario;
    this.#options = options;
  }

  get summary(): CrashSummary {
    return { runs: this.#runs, points: this.#points, failures: this.#failures };
  }

  /** Does nothing once there are enough failures. */
  async run(
    mode: CrashMode,
    faults: readonly CrashFault[],
    expected?: FinalState,
  ): Promise<Pick<CrashReport, "points" | "moments" | "final">> {
    const { maxFailures = 10, createStore, alterHost } = this.#options;
    if (this.#failures.length >= maxFailures) {
      return { points: [], moments: [], final: expected ?? nothing };
    }
    const run: CrashRun = { scenario: this.#scenario, mode, faults };
    const report = await runCrash(run, {
      ...(createStore !== undefined && { createStore }),
      ...(alterHost !== undefined && { alterHost }),
      ...(expected !== undefined && { expected }),
    });
    this.#runs += 1;
    this.#points += report.hits;
    if (report.violations.length > 0) this.#failures.push(toFailure(run, report));
    return report;
  }
}

const nothing: FinalState = {
  status: "",
  messages: [],
  ends: [],
  queued: [],
  pending: [],
  config: {},
  forks: {},
};

export function toFailure(run: CrashRun, report: CrashReport): CrashFailure {
  const { violations, log } = report;
  const points = run.faults.map((fault) => describeFault(fault, report.points));
  return { run, points, violations, log };
}

function describeFault(fault: CrashFault, points: readonly CrashPoint[]): string {
  const met = points.find(
    ({ process, point }) => process === fault.process && point === fault.point,
  );
  return `${fault.do} ${fault.side} ${met?.what ?? "a point that was not reached"} (${fault.process}, point ${fault.point})`;
}
