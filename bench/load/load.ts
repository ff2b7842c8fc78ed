/** `npm run load`: streams over HTTP from our server, from the least that can send them, and from the AI SDK, under the same load. */
import { parseArgs } from "node:util";
import type { Load, Taken } from "./run-load.ts";
import { interleave } from "../interleave.ts";
import { runLoad } from "./run-load.ts";

const help = `npm run load -- [options]

Every stream is read by another process and checked: nothing lost, nothing twice, in order.

  --sessions N   for the first figure (default 100)
  --rate N       deltas a second in each (default 50; lowered until all stay below 60 % of a core)
  --seconds N    for each figure (default 20: what a stream costs to begin is spread over its deltas)
  --rounds N     of the first figure, of which the medians count (default 3)
  --capacity     raise the rate afterwards until a core is full
  --help         this text

Exit code: 0 if nothing was lost and the goals are met, 1 otherwise.`;

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "100" },
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "20" },
    rounds: { type: "string", default: "3" },
    capacity: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const problems: string[] = [];

if (values.help) console.log(help);
else await measure(Number(values.sessions), Number(values.rate), Number(values.seconds));

for (const problem of problems) console.log(`- ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function measure(sessions: number, fastest: number, seconds: number): Promise<void> {
  const perSecond = await findRate(sessions, fastest, seconds);
  const base = { sessions, perSecond, seconds };
  const [floor, ours, ai, socket] = await compare(base);
  const ratio = ours / floor;
  const lead = ai / ours;
  console.log(
    `CPU per event: ${ratio.toFixed(2)} × the floor (goal ≤ 2); ai takes ${lead.toFixed(1)} × ours (goal ≥ 5)`,
  );
  console.log(
    `ai takes ${(ai / floor).toFixed(1)} × the floor, and ${(ai / socket).toFixed(1)} × the least there is`,
  );
  if (ratio > 2) problems.push("more than twice the CPU of the floor");
  if (lead < 5) problems.push("less than five times cheaper than ai");
  const wide = { sessions: 1_000, perSecond: 10, seconds };
  for (const name of ["floor", "capstan"]) await tell(name, wide);
  await tell("capstan", { ...wide, stalled: 100 });
  if (values.capacity) await findCapacity(sessions, Math.min(6, seconds));
}

/** CPU for each event: the floor, ours, ai, and what nobody gets below. Medians, interleaved. */
async function compare(load: Load): Promise<[number, number, number, number]> {
  const names = ["floor", "capstan", "ai", "socket"];
  const rounds = Number(values.rounds);
  const taken = await interleave(
    names,
    rounds,
    async (name) => (await tell(name, load)).cpuPerEventUs,
  );
  const [floor = NaN, ours = NaN, ai = NaN, socket = NaN] = names.map((name) => taken.get(name));
  return [floor, ours, ai, socket];
}

/** A rate at which the slowest of them still has time to spare: above it, it would do less work for more. */
async function findRate(sessions: number, fastest: number, seconds: number): Promise<number> {
  for (let perSecond = fastest; perSecond > 5; perSecond -= 10) {
    const { share } = await tell("ai", { sessions, perSecond, seconds });
    if (share < 0.6) return perSecond;
  }
  return 5;
}

/** The highest rate at which nothing is late by more than a tenth of a second. */
async function findCapacity(sessions: number, seconds: number): Promise<void> {
  let events = 0;
  // Above it somebody else is the limit: who reads and checks has a core, too.
  for (let perSecond = 100; perSecond <= 10_000; perSecond = Math.ceil(perSecond * 1.5)) {
    const { p99 } = await tell("capstan", { sessions, perSecond, seconds });
    if (p99 > 100) break;
    events = sessions * perSecond;
  }
  console.log(`Capacity of one process: ${events} events a second in ${sessions} sessions`);
}

async function tell(name: string, load: Load): Promise<Taken> {
  const taken = await runLoad(name, load);
  const { sessions, perSecond, stalled = 0 } = load;
  const { cpuPerEventUs, share, p50, p99, rssPerStreamKB, wrong } = taken;
  const readers = stalled === 0 ? "" : `, ${stalled} stalled`;
  console.log(
    `${name.padEnd(8)} ${sessions} × ${perSecond}/s${readers}: ${cpuPerEventUs.toFixed(1)} µs/event, ${(100 * share).toFixed(0)} % of a core, ` +
      `delay p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${rssPerStreamKB.toFixed(0)} KB a stream`,
  );
  if (wrong > 0)
    problems.push(`${name}, ${sessions} × ${perSecond}: ${wrong} streams were not whole`);
  return taken;
}
