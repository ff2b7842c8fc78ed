/** B9: whether what a session keeps of its context costs more per step when there is much of it. */
import type { Bench, Figure, Workload } from "../bench.ts";
import { judge } from "../bench.ts";
import { interleave } from "../interleave.ts";
import type { Subject } from "../subject.ts";
import { withWorkers } from "../timed-workers.ts";

const short = "N=100";
const long = "N=10000";
/** So many that what it takes to begin with a long history does not count. */
const steps = 5_000;

export const b9: Bench = {
  name: "B9",
  what: "the context of a step after 10,000 messages, to that after 100, where nothing else changes",
  unit: "step",
  isFor: ({ growContext }) => growContext !== undefined,
  workloads: {
    [short]: (subject) => growing(subject, 100),
    [long]: (subject) => growing(subject, 10_000),
  },
  measure: (subjects, pace) =>
    withWorkers("B9", subjects, [short, long], pace, async (workers) => {
      const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
      const timeOf = (subject: Subject, workload: string): number =>
        Array.from(times).find(
          ([worker]) => worker.subject === subject && worker.workload === workload,
        )?.[1] ?? Number.NaN;
      return subjects.map((subject): Figure => {
        const perUnit = timeOf(subject, long);
        const ratio = perUnit / timeOf(subject, short);
        const verdict = judge(subject, "B9", "ratio", ratio);
        return { bench: "B9", subject: subject.name, perUnit, ratio, base: short, ...verdict };
      });
    }),
};

async function growing(subject: Subject, messages: number): Promise<Workload> {
  return {
    units: steps,
    turns: 1,
    minWarmUpTurns: 10,
    async run() {
      const shown = subject.growContext?.(messages, steps);
      const expected = messages + 2 * steps;
      if (shown !== expected) throw new Error(`${shown} messages are shown, not ${expected}`);
    },
  };
}
