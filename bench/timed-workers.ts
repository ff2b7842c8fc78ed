/** Times workloads in processes that are all kept alive, so that whatever disturbs the machine disturbs them all. */
import type { Figure, Pace } from "./bench.ts";
import { floorGen, judge } from "./bench.ts";
import { interleave, median } from "./interleave.ts";
import type { Subject } from "./subject.ts";
import { WorkerProcess } from "./worker-process.ts";

/** Calls `use` with a worker for each subject and workload, warm, and ends them afterwards. */
export async function withWorkers<T>(
  bench: string,
  subjects: readonly Subject[],
  workloads: readonly string[],
  pace: Pace,
  use: (workers: readonly WorkerProcess[]) => Promise<T>,
): Promise<T> {
  using stack = new DisposableStack();
  const workers = subjects.flatMap((subject) =>
    workloads.map((workload) => stack.use(new WorkerProcess(bench, subject, workload))),
  );
  // One after another, so that none takes the cores from another.
  for (const worker of workers) await worker.warmUp(pace);
  // The processes must outlive what is asked of them.
  return await use(workers);
}

/** Times each worker and compares it with that of floor-gen. */
export async function compareToFloor(
  bench: string,
  workers: readonly WorkerProcess[],
  pace: Pace,
): Promise<Figure[]> {
  const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
  const floor = workers.find((worker) => worker.subject.name === floorGen);
  const floorTime = floor === undefined ? undefined : times.get(floor);
  if (floorTime === undefined) throw new Error(`${bench} needs ${floorGen} to compare with`);
  return Array.from(times, ([{ subject }, perUnit]) => {
    const ratio = perUnit / floorTime;
    const verdict = judge(subject, bench, "ratio", ratio);
    return { bench, subject: subject.name, perUnit, ratio, base: floorGen, ...verdict };
  });
}

/** The median of what a worker answers to a probe. */
export async function probeOf(
  worker: WorkerProcess,
  bench: string,
  metric: string,
  times: number,
): Promise<Figure> {
  const values: number[] = [];
  for (let i = 0; i < times; i++) values.push(await worker.probe(metric));
  return toMetric(worker.subject, bench, metric, median(values));
}

export function toMetric(subject: Subject, bench: string, metric: string, value: number): Figure {
  return { bench, subject: subject.name, metric, value, ...judge(subject, bench, metric, value) };
}
