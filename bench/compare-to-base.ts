/** Times workloads of several subjects, and compares each with one of them that is not a floor. */
import type { Figure, Pace } from "./bench.ts";
import { judge } from "./bench.ts";
import { interleave } from "./interleave.ts";
import type { Subject } from "./subject.ts";
import { withWorkers } from "./timed-workers.ts";
import type { WorkerProcess } from "./worker-process.ts";

export async function compareToBase(
  bench: string,
  subjects: readonly Subject[],
  workload: string,
  base: string,
  pace: Pace,
  /** Name of the goals of the subjects. */
  goals: string = bench,
): Promise<Figure[]> {
  return withWorkers(bench, subjects, [workload], pace, (workers) =>
    compareWorkers(bench, workers, base, pace, ({ name }) => `${name}, ${workload}`, goals),
  );
}

/** Likewise, with workers that are there. `nameOf` names the subjects of the figures. */
export async function compareWorkers(
  bench: string,
  workers: readonly WorkerProcess[],
  base: string,
  pace: Pace,
  nameOf: (subject: Subject) => string = ({ name }) => name,
  goals: string = bench,
): Promise<Figure[]> {
  const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
  const baseTime = Array.from(times).find(([{ subject }]) => subject.name === base)?.[1];
  if (baseTime === undefined) throw new Error(`${bench} needs ${base} to compare with`);
  return Array.from(times, ([{ subject }, perUnit]): Figure => {
    const ratio = perUnit / baseTime;
    const verdict = judge(subject, goals, "ratio", ratio);
    return { bench, subject: nameOf(subject), perUnit, ratio, base, ...verdict };
  });
}
