/** `npm run bench -- [names] [--json] [--rounds N] [--quick] [--peers]`: measures, prints, and exits with 1 if a goal is missed. */
import { parseArgs } from "node:util";
import type { Bench, Figure, Pace } from "./bench.ts";
import { benches, findBench } from "./benches.ts";
import { toJsonLine, toTable } from "./report.ts";
import type { Subject } from "./subject.ts";
import { installPeers, loadPeers, loadSubjects } from "./subject.ts";

interface Options {
  readonly chosen: readonly Bench[];
  readonly isJson: boolean;
  readonly hasPeers: boolean;
  readonly pace: Pace;
}

const fullPace: Pace = { rounds: 21, warmUpMs: 1_000, roundMs: 200, probes: 5, starts: 60 };
const quickPace: Pace = { rounds: 5, warmUpMs: 300, roundMs: 100, probes: 1, starts: 15 };
/** Fewer rounds than this give an impression and no verdict. */
const minRounds = 15;

try {
  const options = parseOptions(process.argv.slice(2));
  process.exitCode = await run(options).catch((thrown: unknown) => {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    return 1;
  });
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 2;
}

/** Throws what is wrong with the arguments. */
function parseOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
    },
  });
  const known = benches.map((bench) => bench.name).join(", ");
  const chosen = positionals.map((name) => {
    const bench = findBench(name);
    if (bench === undefined) throw new Error(`There is no bench "${name}". There are: ${known}`);
    return bench;
  });
  const pace = values.quick ? quickPace : fullPace;
  const rounds = values.rounds === undefined ? pace.rounds : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds takes a whole number above 0, not "${values.rounds}"`);
  }
  return {
    chosen: chosen.length === 0 ? benches : chosen,
    isJson: values.json,
    hasPeers: values.peers,
    pace: { ...pace, rounds },
  };
}

/** The exit code: 0 if all goals are met. */
async function run({ chosen, isJson, hasPeers, pace }: Options): Promise<number> {
  if (pace.rounds < minRounds) {
    console.error(`Only ${pace.rounds} rounds: an impression; goals are judged on ${minRounds}.`);
  }
  if (hasPeers) installPeers();
  const subjects = [...(await loadSubjects()), ...(hasPeers ? await loadPeers() : [])];
  const all: Figure[] = [];
  for (const bench of chosen) {
    const figures = await measureTwiceIfClose(bench, subjects, pace);
    all.push(...figures);
    if (isJson) for (const figure of figures) console.log(toJsonLine(figure));
  }
  if (!isJson) console.log(toTable(all));
  return all.some((figure) => figure.met === false) ? 1 : 0;
}

async function measureTwiceIfClose(
  bench: Bench,
  subjects: readonly Subject[],
  pace: Pace,
): Promise<Figure[]> {
  console.error(`${bench.name}: ${bench.what} …`);
  const measured = subjects.filter(
    (subject) => bench.isFor?.(subject) ?? subject.createAgent !== undefined,
  );
  const figures = await bench.measure(measured, pace);
  const close = figures.find(isClose);
  if (close === undefined) return figures;
  console.error(`${bench.name}: again, as this is close to its goal: ${toJsonLine(close)}`);
  return bench.measure(measured, pace);
}

/** Within 5 % of its goal, on either side of it. */
function isClose(figure: Figure): boolean {
  const { goal } = figure;
  if (goal === undefined || goal === 0) return false;
  const value = "metric" in figure ? figure.value : figure.ratio;
  return Math.abs(value / goal - 1) <= 0.05;
}
