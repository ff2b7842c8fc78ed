/** B3: whether a short turn costs more after a long history. */
import { createHash } from "node:crypto";
import type { Bench, Figure, Workload } from "../bench.ts";
import { judge } from "../bench.ts";
import { CheckedTurns } from "../checked-turns.ts";
import { interleave } from "../interleave.ts";
import { makeHistory } from "../script.mjs";
import type { Subject } from "../subject.ts";
import { withWorkers } from "../timed-workers.ts";

const short = "N=100";
const long = "N=10000";

export const b3: Bench = {
  name: "B3",
  what: "a short turn after 10,000 messages, to one after 100",
  unit: "turn",
  workloads: {
    [short]: (subject) => shortTurn(subject, 100),
    [long]: (subject) => shortTurn(subject, 10_000),
  },
  measure: (subjects, pace) =>
    withWorkers("B3", subjects, [short, long], pace, async (workers) => {
      const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
      const timeOf = (subject: Subject, workload: string): number => {
        const isIt = (worker: (typeof workers)[number]): boolean =>
          worker.subject === subject && worker.workload === workload;
        return Array.from(times).find(([worker]) => isIt(worker))?.[1] ?? Number.NaN;
      };
      return subjects.map((subject): Figure => {
        const perUnit = timeOf(subject, long);
        const ratio = perUnit / timeOf(subject, short);
        const verdict = judge(subject, "B3", "ratio", ratio);
        return { bench: "B3", subject: subject.name, perUnit, ratio, base: short, ...verdict };
      });
    }),
};

async function shortTurn(subject: Subject, messages: number): Promise<Workload> {
  const turns = await CheckedTurns.create(
    subject,
    { toolSteps: 0, textDeltas: 5 },
    makeHistory(messages),
  );
  const before = fingerprint(turns.history);
  return {
    units: 1,
    turns: 1,
    minWarmUpTurns: 2_000,
    run: () => turns.run(),
    verify() {
      if (fingerprint(turns.history) !== before) throw new Error("A turn changed the history");
    },
  };
}

function fingerprint(history: unknown): string {
  return createHash("sha256").update(JSON.stringify(history)).digest("hex");
}
