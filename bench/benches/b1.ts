/** B1: what a step with a tool call costs. */
import type { Bench } from "../bench.ts";
import { CheckedTurns } from "../checked-turns.ts";
import { makeHistory } from "../script.mjs";
import { compareToFloor, withWorkers } from "../timed-workers.ts";

const toolSteps = 50;

export const b1: Bench = {
  name: "B1",
  what: "50 tool steps in one turn",
  unit: "step",
  workloads: {
    async turn(subject) {
      const turns = await CheckedTurns.create(
        subject,
        { toolSteps, textDeltas: 5 },
        makeHistory(0),
      );
      // As in B4, the compiler is done late.
      return { units: toolSteps, turns: 1, minWarmUpTurns: 2_000, run: () => turns.run() };
    },
  },
  measure: (subjects, pace) =>
    withWorkers("B1", subjects, ["turn"], pace, (workers) => compareToFloor("B1", workers, pace)),
};
