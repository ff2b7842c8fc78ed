/** B13: what a delta costs the process that sends it to a page of the AI SDK. */
import type { Bench } from "../bench.ts";
import { compareWorkers } from "../compare-to-base.ts";
import { streamWorkload } from "../streamed-deltas.ts";
import { withWorkers } from "../timed-workers.ts";

export const b13: Bench = {
  name: "B13",
  what: "5,000 deltas of four characters, as chunks of the UI message stream",
  unit: "delta",
  isFor: ({ serveChunks }) => serveChunks !== undefined,
  workloads: { stream: ({ name, serveChunks }) => streamWorkload(name, serveChunks) },
  async measure(subjects, pace) {
    return withWorkers("B13", subjects, ["stream"], pace, (workers) =>
      compareWorkers("B13", workers, "ai-chat", pace),
    );
  },
};
