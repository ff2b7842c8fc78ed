/** B4: what turns cost when a thousand are under way, and how much memory each takes. */
import type { Bench, Pace } from "../bench.ts";
import { CheckedTurns } from "../checked-turns.ts";
import { interleave } from "../interleave.ts";
import { makeHistory } from "../script.mjs";
import type { Subject } from "../subject.ts";
import { compareLives, toMetric, withWorkers } from "../timed-workers.ts";

const concurrent = 1_000;
/** Two steps with a tool call and the answer. */
const size = { toolSteps: 2, textDeltas: 5, latencyMs: 20 };

export const b4: Bench = {
  name: "B4",
  what: "1,000 concurrent turns of 3 steps, 20 ms model latency",
  unit: "turn",
  workloads: {
    async batch(subject) {
      const turns = await CheckedTurns.create(subject, size, makeHistory(0));
      const histories = historiesFor(turns, concurrent);
      return {
        units: concurrent,
        turns: concurrent,
        // A turn runs code of every part of its subject a few times only: the compiler is done late.
        minWarmUpTurns: 40_000,
        run: () => turns.runTogether(histories),
      };
    },
    async memory(subject) {
      const turns = await CheckedTurns.create(subject, size, makeHistory(0));
      const few = historiesFor(turns, 10);
      const many = historiesFor(turns, concurrent);
      return {
        units: few.length,
        turns: few.length,
        // So few at once that the heap is still small when the thousand come.
        minWarmUpTurns: 200,
        run: () => turns.runTogether(few),
        probes: { rssKB: () => residentGrowth(() => turns.runTogether(many)) },
      };
    },
  },
  async measure(subjects, pace) {
    const figures = await compareLives("B4", subjects, "batch", pace, 3);
    const memory = await interleave(subjects, pace.probes, (subject) => freshMemory(subject, pace));
    for (const [subject, value] of memory) figures.push(toMetric(subject, "B4", "rssKB", value));
    return figures;
  },
};

function historiesFor(turns: CheckedTurns, count: number): unknown[] {
  return Array.from({ length: count }, () => turns.prepareHistory(makeHistory(0)));
}

/** A process has its first thousand turns only once. */
function freshMemory(subject: Subject, pace: Pace): Promise<number> {
  return withWorkers("B4", [subject], ["memory"], pace, async ([worker]) => {
    if (worker === undefined) throw new Error("B4 has no worker to ask");
    return worker.probe("rssKB");
  });
}

/** How far the resident memory rises while the turns run, in kilobytes for each. */
async function residentGrowth(runAll: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const highestBefore = process.resourceUsage().maxRSS * 1_024;
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  await runAll();
  clearInterval(sampler);
  // The system's own mark misses nothing, but it counts only if it is of this time.
  const highest = process.resourceUsage().maxRSS * 1_024;
  if (highest > highestBefore) peak = Math.max(peak, highest);
  return (peak - before) / 1_000 / concurrent;
}
