/** The child process of one subject and one workload: warms up, then does what it is asked, round by round. */
import type { Pace, Workload } from "./bench.ts";
import { findBench } from "./benches.ts";
import { loadSubject } from "./subject.ts";

/** What the parent asks. `warm-up` comes first. */
export type Ask =
  | { readonly type: "warm-up"; readonly pace: Pace }
  | { readonly type: "round"; readonly pace: Pace }
  | { readonly type: "probe"; readonly name: string };

export type Answer =
  | { readonly type: "value"; readonly value: number }
  | { readonly type: "failure"; readonly message: string };

const [benchName = "", subjectName = "", workloadName = ""] = process.argv.slice(2);
let workload: Promise<Workload> | undefined;

process.on("message", (ask: Ask) => {
  answer(ask).then(
    (value) => process.send?.({ type: "value", value } satisfies Answer),
    (thrown: unknown) => {
      const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      process.send?.({ type: "failure", message } satisfies Answer);
    },
  );
});
process.on("disconnect", () => process.exit(0));

async function createWorkload(): Promise<Workload> {
  const create = findBench(benchName)?.workloads[workloadName];
  if (create === undefined) throw new Error(`${benchName} has no workload "${workloadName}"`);
  return create(await loadSubject(subjectName));
}

async function answer(ask: Ask): Promise<number> {
  const work = await (workload ??= createWorkload());
  if (ask.type === "warm-up") return warmUp(work, ask.pace);
  if (ask.type === "round") return round(work, ask.pace.roundMs);
  const probe = work.probes?.[ask.name];
  if (probe === undefined) throw new Error(`${benchName} has no probe "${ask.name}"`);
  return probe();
}

/** By time, for the compiler, and by turns, so that a slow subject has been through everything as well. */
async function warmUp(work: Workload, { warmUpMs, maxWarmUpMs = Infinity }: Pace): Promise<number> {
  const startedAt = performance.now();
  const takenMs = (): number => performance.now() - startedAt;
  let turns = 0;
  while (takenMs() < warmUpMs || (turns < work.minWarmUpTurns && takenMs() < maxWarmUpMs)) {
    await work.run();
    turns += work.turns;
  }
  work.verify?.();
  return turns;
}

/**
 * CPU microseconds per unit, what the collector takes included. No collection is forced before a round: it made
 * B1 five times slower, probably because nothing holds the hidden classes of a turn's objects between turns.
 */
async function round(work: Workload, roundMs: number): Promise<number> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let runs = 0;
  do {
    await work.run();
    runs++;
  } while (performance.now() - startedAt < roundMs);
  const { user, system } = process.cpuUsage(before);
  work.verify?.();
  return (user + system) / (runs * work.units);
}
