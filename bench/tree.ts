/** `npm run tree`: what a tree of sessions costs that is followed as one, beside as many sessions that are followed by themselves. */
import { fork } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { TreeCost, TreeKind } from "./tree-worker.ts";

const help = `npm run tree -- [options]

A session with 100 children at work at the same time, each with 3 tool calls and 100 deltas, followed as one tree; beside 101 plain
sessions that do the same, each followed by itself. In processes of their own, in turn.

  --rounds N   processes of each kind, of which the medians count (default 11)
  --quick      an impression: 3 rounds
  --help       this text

Exit code: 0 if CPU and memory are at most 1.2 times those of plain sessions, 1 otherwise.`;

const goal = 1.2;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "11" },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(help);
else await measure(values.quick ? 3 : Number(values.rounds));

async function measure(rounds: number): Promise<void> {
  const taken: Record<TreeKind, TreeCost[]> = { tree: [], plain: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ["tree", "plain"] as const) taken[kind].push(await ask(kind));
  }
  const cpu = compare("CPU, ms", taken, ({ cpuUs }) => cpuUs / 1_000);
  const heap = compare("live heap, MB", taken, ({ heapBytes }) => heapBytes / 1e6);
  compare("events", taken, ({ events }) => events);
  process.exitCode = cpu <= goal && heap <= goal ? 0 : 1;
}

function compare(
  name: string,
  taken: Readonly<Record<TreeKind, readonly TreeCost[]>>,
  figureOf: (cost: TreeCost) => number,
): number {
  const tree = median(taken.tree.map(figureOf));
  const plain = median(taken.plain.map(figureOf));
  const ratio = tree / plain;
  console.log(
    `${name}: tree ${tree.toFixed(1)}, plain ${plain.toFixed(1)}, ratio ${ratio.toFixed(2)}`,
  );
  return ratio;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

async function ask(kind: TreeKind): Promise<TreeCost> {
  const path = join(import.meta.dirname, "tree-worker.ts");
  const execArgv = ["--conditions=@capstan/source", "--expose-gc"];
  const worker = fork(path, [kind], { execArgv });
  const { promise, resolve, reject } = Promise.withResolvers<TreeCost>();
  // The worker sends nothing else.
  worker.on("message", (cost) => resolve(cost as TreeCost));
  worker.on("error", reject);
  worker.on("exit", (code) => reject(new Error(`The worker ended with code ${code}`)));
  return promise;
}
