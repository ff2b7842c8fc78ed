/** B7: what a delta costs on the wire: its bytes, and the time of the process that sends it. */
import type { Bench } from "../bench.ts";
import { compareWorkers } from "../compare-to-base.ts";
import { streamWorkload } from "../streamed-deltas.ts";
import { probeOf, withWorkers } from "../timed-workers.ts";

export const b7: Bench = {
  name: "B7",
  what: "5,000 deltas of four characters, as server-sent events with their ids",
  unit: "delta",
  isFor: ({ serveDeltas }) => serveDeltas !== undefined,
  workloads: { stream: ({ name, serveDeltas }) => streamWorkload(name, serveDeltas) },
  async measure(subjects, pace) {
    return withWorkers("B7", subjects, ["stream"], pace, async (workers) => {
      const figures = await compareWorkers("B7", workers, "sse-writer", pace);
      for (const worker of workers) figures.push(await probeOf(worker, "B7", "bytes", 1));
      return figures;
    });
  },
};
