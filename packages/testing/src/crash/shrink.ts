/** Shrinks a failing run, as long as it fails in the same way. */
import type { CrashRun } from "./crash-run.ts";
import type { CrashFailure } from "./explore.ts";
import { toFailure } from "./explore.ts";
import type { CrashOptions } from "./run-crash.ts";
import { runCrash } from "./run-crash.ts";
import type { CrashScenario, ScriptedStep } from "./scenario.ts";

const maxRuns = 300;

export async function shrinkCrash(
  failure: CrashFailure,
  options: CrashOptions = {},
): Promise<CrashFailure> {
  const code = failure.violations[0]?.code;
  let smallest = failure;
  let runs = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerRuns(smallest.run)) {
      if ((runs += 1) > maxRuns) return smallest;
      const failed = await runAgain(candidate, options);
      if (!failed.violations.some((violation) => violation.code === code)) continue;
      smallest = failed;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

async function runAgain(run: CrashRun, options: CrashOptions): Promise<CrashFailure> {
  const { final: expected } = await runCrash({ ...run, faults: [] }, options);
  return toFailure(run, await runCrash(run, { ...options, expected }));
}

function* smallerRuns(run: CrashRun): Generator<CrashRun> {
  for (const faults of without(run.faults)) yield { ...run, faults };
  if (run.order !== undefined) {
    const { order: _order, ...inOrder } = run;
    yield inOrder;
  }
  for (const scenario of smallerScenarios(run.scenario)) yield { ...run, scenario };
}

function* smallerScenarios(scenario: CrashScenario): Generator<CrashScenario> {
  const { actions, hosts = [], readers = [], script } = scenario;
  // The first action starts everything.
  for (const fewer of without(actions.slice(1))) {
    yield { ...scenario, actions: [...actions.slice(0, 1), ...fewer] };
  }
  if (hosts.length > 1) {
    const fewer = hosts.slice(0, -1);
    const names = new Set(fewer.map(({ name }) => name));
    yield { ...scenario, hosts: fewer, readers: readers.filter((name) => names.has(name)) };
  }
  if (readers.length > 1) yield { ...scenario, readers: readers.slice(0, -1) };
  for (const [text, steps] of Object.entries(script)) {
    for (const fewer of smallerSteps(steps)) {
      yield { ...scenario, script: { ...script, [text]: fewer } };
    }
  }
}

function* smallerSteps(steps: readonly ScriptedStep[]): Generator<readonly ScriptedStep[]> {
  yield* without(steps);
  for (const [at, { calls = [], ...step }] of steps.entries()) {
    if (calls.length < 2) continue;
    for (const fewer of without(calls)) yield steps.with(at, { ...step, calls: fewer });
  }
}

/** Yields all lists with one item removed. */
function* without<T>(items: readonly T[]): Generator<readonly T[]> {
  for (const at of items.keys()) yield items.toSpliced(at, 1);
}
