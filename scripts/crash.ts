// `npm run crash -- --seconds N --seed S [--json]`: kills, pauses and fails hosts in random scenarios, and says how to
// see a failure again. Exits with 1 if there is one, and with 2 if the arguments are wrong.
import { parseArgs } from "node:util";
import {
  describeFailure,
  exploreCrashes,
  exploreSeed,
  findScenario,
  parseCrashRun,
  replayCommand,
  runCrash,
} from "@capstan/testing/crash";
import type { CrashFailure, CrashRun, CrashSummary } from "@capstan/testing/crash";

const help = `npm run crash -- [options]

Runs random scenarios on the simulated clock, with random faults, and checks what is left of them.

  --seconds N      how long, by the real clock (default 10)
  --seed S         the first seed; the next ones follow (default 1)
  --scenario NAME  instead: every point of this scenario, in both modes
  --replay JSON    instead: this one run, as a failure has told it, or '{"seed": 7}'
  --json           one JSON object per line instead of text
  --help           this text

Exit code: 0 if all is well, 1 if something is wrong, 2 if the arguments are.`;

interface Options {
  readonly seconds: number;
  readonly seed: number;
  readonly scenario: string | undefined;
  readonly replay: CrashRun | undefined;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.isHelp) console.log(help);
  else process.exitCode = (await explore(options)) === 0 ? 0 : 1;
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 2;
}

/** Throws what is wrong with the arguments. */
function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "10" },
      seed: { type: "string", default: "1" },
      scenario: { type: "string" },
      replay: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const seconds = Number(values.seconds);
  const seed = Number(values.seed);
  if (!(seconds > 0)) throw new Error(`--seconds takes a number above 0, not "${values.seconds}"`);
  if (!Number.isInteger(seed) || seed < 0) {
    throw new Error(`--seed takes a whole number from 0 on, not "${values.seed}"`);
  }
  if (values.scenario !== undefined) findScenario(values.scenario);
  return {
    seconds,
    seed,
    scenario: values.scenario,
    replay: values.replay === undefined ? undefined : parseCrashRun(values.replay),
    isJson: values.json,
    isHelp: values.help,
  };
}

/** The number of failures. */
async function explore(options: Options): Promise<number> {
  if (options.replay !== undefined) return replay(options.replay, options.isJson);
  const startedAt = performance.now();
  const totals = { scenarios: 0, runs: 0, points: 0, failures: 0 };
  const add = (summary: CrashSummary): void => {
    totals.scenarios += 1;
    totals.runs += summary.runs;
    totals.points += summary.points;
    totals.failures += summary.failures.length;
    for (const failure of summary.failures) tell(failure, options.isJson);
  };
  if (options.scenario !== undefined) add(await exploreCrashes(findScenario(options.scenario)));
  else {
    const endsAt = startedAt + options.seconds * 1_000;
    for (let seed = options.seed; performance.now() < endsAt; seed += 1) {
      add(await exploreSeed(seed));
      if (totals.scenarios % 500 === 0) console.error(progress(totals, seed));
    }
  }
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  if (options.isJson) console.log(JSON.stringify({ type: "summary", ...totals, seconds }));
  else console.log(`${count(totals)} in ${seconds} s`);
  return totals.failures;
}

async function replay(run: CrashRun, isJson: boolean): Promise<number> {
  const { final: expected } = await runCrash({ ...run, faults: [] });
  const { violations, log, points } = await runCrash(run, { expected });
  if (isJson) {
    console.log(JSON.stringify({ type: "replay", violations, log, points }));
    return violations.length;
  }
  for (const entry of log) console.log(JSON.stringify(entry));
  for (const { code, message } of violations) console.log(`${code}: ${message}`);
  console.log(`${log.length} entries, ${points.length} points, ${violations.length} violations`);
  return violations.length;
}

function tell(failure: CrashFailure, isJson: boolean): void {
  const { run, points, violations } = failure;
  if (!isJson) return console.log(describeFailure(failure));
  const { name: scenario } = run.scenario;
  const { mode } = run;
  const command = replayCommand(run);
  console.log(
    JSON.stringify({ type: "failure", scenario, mode, points, violations, replay: command }),
  );
}

function progress(totals: Parameters<typeof count>[0], seed: number): string {
  return `seed ${seed}: ${count(totals)}`;
}

function count(totals: {
  readonly scenarios: number;
  readonly runs: number;
  readonly points: number;
  readonly failures: number;
}): string {
  const { scenarios, runs, points, failures } = totals;
  return `${scenarios} scenarios, ${runs} runs, ${points} points, ${failures} failures`;
}
