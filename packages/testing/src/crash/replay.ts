/** Runs as text, so that a failure can be told and run again. */
import type { CrashMode, CrashRun } from "./crash-run.ts";
import type { CrashFailure } from "./explore.ts";
import { randomCrashRun } from "./random-run.ts";
import type { CrashScenario } from "./scenario.ts";
import { crashScenarios } from "./scenarios.ts";

/** JSON: a named scenario is named, another one is there in full. */
function formatCrashRun({ scenario, mode, faults, order }: CrashRun): string {
  const isKnown = crashScenarios.includes(scenario);
  return JSON.stringify({
    scenario: isKnown ? scenario.name : scenario,
    mode,
    faults,
    ...(order !== undefined && { order }),
  });
}

/** What to type to see it again. */
export function replayCommand(run: CrashRun): string {
  return `npm run crash -- --replay '${formatCrashRun(run).replaceAll("'", String.raw`'\''`)}'`;
}

/** What went wrong, where, and how to see it again, for people. */
export function describeFailure({ run, points, violations }: CrashFailure): string {
  const where = points.length === 0 ? "without a fault" : points.join(", ");
  return [
    `${run.scenario.name}, ${run.mode}, ${where}`,
    ...violations.map(({ code, message }) => `  ${code}: ${message}`),
    `  ${replayCommand(run)}`,
  ].join("\n");
}

/** Throws with what is wrong. `{ "seed": n }` is the random run of that number. */
export function parseCrashRun(text: string): CrashRun {
  const given: unknown = JSON.parse(text);
  if (typeof given !== "object" || given === null) throw new Error("A run is a JSON object");
  const { seed, scenario, mode, faults = [], order } = given as Partial<Replay>;
  if (seed !== undefined) return randomCrashRun(seed);
  const found = typeof scenario === "string" ? findScenario(scenario) : scenario;
  if (found === undefined) throw new Error("A run has a scenario, or a seed");
  if (mode !== "sync" && mode !== "async") throw new Error('The mode is "sync" or "async"');
  return { scenario: found, mode, faults, ...(order !== undefined && { order }) };
}

/** Throws if there is none of this name. */
export function findScenario(name: string): CrashScenario {
  const found = crashScenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const known = crashScenarios.map((scenario) => scenario.name).join(", ");
  throw new Error(`There is no scenario "${name}". There are: ${known}`);
}

interface Replay {
  readonly seed: number;
  readonly scenario: string | CrashScenario;
  readonly mode: CrashMode;
  readonly faults: CrashRun["faults"];
  readonly order: number;
}
