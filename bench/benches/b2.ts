/** B2: what a text delta costs, and how much a long reply holds in memory while it streams. */
import type { Bench } from "../bench.ts";
import { CheckedTurns } from "../checked-turns.ts";
import { makeHistory, Seen } from "../script.mjs";
import { compareToFloor, probeOf, withWorkers } from "../timed-workers.ts";

const textDeltas = 20_000;

export const b2: Bench = {
  name: "B2",
  what: "20,000 text deltas in one turn",
  unit: "delta",
  workloads: {
    async turn(subject) {
      const turns = await CheckedTurns.create(
        subject,
        { toolSteps: 0, textDeltas },
        makeHistory(0),
      );
      return {
        units: textDeltas,
        turns: 1,
        minWarmUpTurns: 20,
        run: () => turns.run(),
        probes: { heapMB: () => liveHeap(turns) },
      };
    },
  },
  measure: (subjects, pace) =>
    withWorkers("B2", subjects, ["turn"], pace, async (workers) => {
      const figures = await compareToFloor("B2", workers, pace);
      for (const worker of workers) {
        figures.push(await probeOf(worker, "B2", "heapMB", pace.probes));
      }
      return figures;
    }),
};

/** The most that is reachable above what was before the turn, in megabytes. */
async function liveHeap(turns: CheckedTurns): Promise<number> {
  const before = reachableBytes();
  const seen = new HeapSeen();
  await turns.run(seen);
  return (seen.mostBytes - before) / 1_000_000;
}

/** Measures from within the reader, in the middle and at the last delta: it has read all that was said by then. */
class HeapSeen extends Seen {
  mostBytes = 0;

  override delta(text: string): void {
    super.delta(text);
    if (this.deltas === textDeltas / 2 || this.deltas === textDeltas) {
      this.mostBytes = Math.max(this.mostBytes, reachableBytes());
    }
  }
}

function reachableBytes(): number {
  // Twice: what the first collection finalizes is gone only after the second.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
