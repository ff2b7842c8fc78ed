/** `npm run load`: streams over HTTP from our server, from the least that can send them, and from the AI SDK, under the same load. */
import { parseArgs } from "node:util";
import type { CpuTaken, Load, Taken } from "./run-load.ts";
import { interleave } from "../interleave.ts";
import { runLoad, runPace } from "./run-load.ts";

const help = `npm run load -- [options]

Every stream is read by another process and checked: nothing lost, nothing twice, in order. The process that serves makes the deltas, too: what
that takes alone is measured in the same run, and the goals are judged without it.

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

/** Makes the deltas, and sends them to nobody. */
const paceName = "pace";

const problems: string[] = [];

if (values.help) console.log(help);
else await measure(Number(values.sessions), Number(values.rate), Number(values.seconds));

for (const problem of problems) console.log(`- ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function measure(sessions: number, fastest: number, seconds: number): Promise<void> {
  const perSecond = await findRate(sessions, fastest, seconds);
  const base = { sessions, perSecond, seconds };
  const { pace, ...taken } = await compare(base);
  console.log(
    `With what making the deltas takes, which is ${pace.toFixed(1)} µs: ${ratios(taken, 0).text}`,
  );
  const { ratio, lead, text } = ratios(taken, pace);
  console.log(`CPU per event without it: ${text} (goals ≤ 2 and ≥ 5)`);
  if (ratio > 2) problems.push("more than twice the CPU of the floor");
  if (lead < 5) problems.push("less than five times cheaper than ai");
  const wide = { sessions: 1_000, perSecond: 10, seconds };
  for (const name of ["floor", "capstan"]) await tell(name, wide);
  await tell("capstan", { ...wide, stalled: 100 });
  if (values.capacity) await findCapacity(sessions, Math.min(6, seconds));
}

/** Microseconds for each event. */
interface Compared {
  readonly floor: number;
  readonly ours: number;
  readonly ai: number;
  /** The least that can be sent. */
  readonly socket: number;
}

/** Medians, interleaved. */
async function compare(load: Load): Promise<Compared & { readonly pace: number }> {
  const names = ["floor", "capstan", "ai", "socket", paceName];
  const taken = await interleave(names, Number(values.rounds), (name) => cpuPerEvent(name, load));
  const of = (name: string): number => taken.get(name) ?? NaN;
  return {
    floor: of("floor"),
    ours: of("capstan"),
    ai: of("ai"),
    socket: of("socket"),
    pace: of(paceName),
  };
}

async function cpuPerEvent(name: string, load: Load): Promise<number> {
  if (name !== paceName) return (await tell(name, load)).cpuPerEventUs;
  const taken = await runPace(load);
  console.log(describe(name, load, taken));
  return taken.cpuPerEventUs;
}

/** Of what is left when so much is taken off each. */
function ratios(
  { floor, ours, ai, socket }: Compared,
  off: number,
): { readonly ratio: number; readonly lead: number; readonly text: string } {
  const ratio = (ours - off) / (floor - off);
  const lead = (ai - off) / (ours - off);
  const text =
    `ours ${ratio.toFixed(2)} × the floor; ai ${lead.toFixed(1)} × ours, ${((ai - off) / (floor - off)).toFixed(1)} × the floor, ` +
    `${((ai - off) / (socket - off)).toFixed(1)} × the least there is`;
  return { ratio, lead, text };
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
  const { sessions, perSecond } = load;
  const { p50, p99, rssPerStreamKB, wrong } = taken;
  const delays = `delay p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  console.log(
    `${describe(name, load, taken)}, ${delays}, ${rssPerStreamKB.toFixed(0)} KB a stream`,
  );
  if (wrong > 0)
    problems.push(`${name}, ${sessions} × ${perSecond}: ${wrong} streams were not whole`);
  return taken;
}

function describe(
  name: string,
  { sessions, perSecond, stalled = 0 }: Load,
  { cpuPerEventUs, share }: CpuTaken,
): string {
  const readers = stalled === 0 ? "" : `, ${stalled} stalled`;
  const load = `${name.padEnd(8)} ${sessions} × ${perSecond}/s${readers}`;
  return `${load}: ${cpuPerEventUs.toFixed(1)} µs/event, ${(100 * share).toFixed(0)} % of a core`;
}
