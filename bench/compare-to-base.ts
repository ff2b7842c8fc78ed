/** Times a workload of several subjects, and compares each with one of them that is not a floor. */
import type { Figure, Pace } from "./bench.ts";
import { judge } from "./bench.ts";
import { interleave } from "./interleave.ts";
import type { Subject } from "./subject.ts";
import { withWorkers } from "./timed-workers.ts";

export async function compareToBase(
  bench: string,
  subjects: readonly Subject[],
  workload: string,
  base: string,
  pace: Pace,
): Promise<Figure[]> {
  return withWorkers(bench, subjects, [workload], pace, async (workers) => {
    const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
    const baseTime = Array.from(times).find(([{ subject }]) => subject.name === base)?.[1];
    if (baseTime === undefined) throw new Error(`${bench} needs ${base} to compare with`);
    return Array.from(times, ([{ subject }, perUnit]): Figure => {
      const ratio = perUnit / baseTime;
      const verdict = judge(subject, bench, "ratio", ratio);
      const name = `${subject.name}, ${workload}`;
      return { bench, subject: name, perUnit, ratio, base, ...verdict };
    });
  });
}
