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
  return toFigures(bench, await timesOf(workers, pace));
}

/**
 * The same with several processes for each subject, one set after another, and their medians' median. For work whose time a
 * process decides when it starts: what its compiler and collector have settled on stays so.
 */
export async function compareLives(
  bench: string,
  subjects: readonly Subject[],
  workload: string,
  pace: Pace,
  lives: number,
): Promise<Figure[]> {
  const values = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
  const share = { ...pace, rounds: Math.ceil(pace.rounds / lives) };
  for (let life = 0; life < lives; life++) {
    const times = await withWorkers(bench, subjects, [workload], pace, (workers) =>
      timesOf(workers, share),
    );
    for (const [subject, time] of times) values.get(subject)?.push(time);
  }
  const medians = Array.from(values, ([subject, times]) => [subject, median(times)] as const);
  return toFigures(bench, new Map(medians));
}

async function timesOf(
  workers: readonly WorkerProcess[],
  pace: Pace,
): Promise<Map<Subject, number>> {
  const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
  return new Map(Array.from(times, ([{ subject }, time]) => [subject, time]));
}

function toFigures(bench: string, times: ReadonlyMap<Subject, number>): Figure[] {
  const floorTime = Array.from(times).find(([subject]) => subject.name === floorGen)?.[1];
  if (floorTime === undefined) throw new Error(`${bench} needs ${floorGen} to compare with`);
  return Array.from(times, ([subject, perUnit]) => {
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
