/** Encodes runs as text, so that a failure can be reported and replayed. */
import type { CrashMode, CrashRun } from "./crash-run.ts";
import type { CrashFailure } from "./explore.ts";
import { randomCrashRun } from "./random-run.ts";
import type { CrashScenario } from "./scenario.ts";
import { crashScenarios } from "./scenarios.ts";

/** JSON: a built-in scenario by its name, any other in full. */
function formatCrashRun({ scenario, mode, faults, order }: CrashRun): string {
  const isKnown = crashScenarios.includes(scenario);
  return JSON.stringify({
    scenario: isKnown ? scenario.name : scenario,
    mode,
    faults,
    ...(order !== undefined && { order }),
  });
}

/** Command that replays the run. */
export function replayCommand(run: CrashRun): string {
  return `npm run crash -- --replay '${formatCrashRun(run).replaceAll("'", String.raw`'\''`)}'`;
}

/** Describes the failure, its points, and how to replay it, for people. */
export function describeFailure({ run, points, violations }: CrashFailure): string {
  const where = points.length === 0 ? "without a fault" : points.join(", ");
  return [
    `${run.scenario.name}, ${run.mode}, ${where}`,
    ...violations.map(({ code, message }) => `  ${code}: ${message}`),
    `  ${replayCommand(run)}`,
  ].join("\n");
}

/** Throws if the text is invalid. `{ "seed": n }` is the random run of that seed. */
export function parseCrashRun(text: string): CrashRun {
  const given: unknown = JSON.parse(text);
  if (typeof given !== "object" || given === null) throw new Error("A run must be a JSON object");
  const { seed, scenario, mode, faults = [], order } = given as Partial<Replay>;
  if (seed !== undefined) return randomCrashRun(seed);
  const found = typeof scenario === "string" ? findScenario(scenario) : scenario;
  if (found === undefined) throw new Error("A run needs a scenario or a seed");
  if (mode !== "sync" && mode !== "async") throw new Error('The mode must be "sync" or "async"');
  return { scenario: found, mode, faults, ...(order !== undefined && { order }) };
}

/** Throws if there is no scenario of this name. */
export function findScenario(name: string): CrashScenario {
  const found = crashScenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const known = crashScenarios.map((scenario) => scenario.name).join(", ");
  throw new Error(`Unknown scenario "${name}". Known scenarios: ${known}`);
}

interface Replay {
  readonly seed: number;
  readonly scenario: string | CrashScenario;
  readonly mode: CrashMode;
  readonly faults: CrashRun["faults"];
  readonly order: number;
}
