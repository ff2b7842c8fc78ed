/** B7: what a delta costs on the wire: its bytes, and the time of the process that sends it. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Bench, Figure, Workload } from "../bench.ts";
import { judge } from "../bench.ts";
import { interleave } from "../interleave.ts";
import type { DeltaServer, Subject } from "../subject.ts";
import { probeOf, withWorkers } from "../timed-workers.ts";

const deltaCount = 5_000;
const base = "sse-writer";
const delta = "abcd";

export const b7: Bench = {
  name: "B7",
  what: "5,000 deltas of four characters, as server-sent events with their ids",
  unit: "delta",
  isFor: ({ serveDeltas }) => serveDeltas !== undefined,
  workloads: { stream: streams },
  async measure(subjects, pace) {
    return withWorkers("B7", subjects, ["stream"], pace, async (workers) => {
      const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
      const baseTime = Array.from(times).find(([{ subject }]) => subject.name === base)?.[1];
      if (baseTime === undefined) throw new Error(`B7 needs ${base} to compare with`);
      const figures = Array.from(times, ([{ subject }, perUnit]): Figure => {
        const ratio = perUnit / baseTime;
        const verdict = judge(subject, "B7", "ratio", ratio);
        return { bench: "B7", subject: subject.name, perUnit, ratio, base, ...verdict };
      });
      for (const worker of workers) figures.push(await probeOf(worker, "B7", "bytes", 1));
      return figures;
    });
  },
};

interface Read {
  readonly chars: number;
  /** Of the longest delta with a cursor of five digits. */
  readonly bytes: number;
}

async function streams({ name, serveDeltas }: Subject): Promise<Workload> {
  if (serveDeltas === undefined) throw new Error(`${name} serves no deltas`);
  const server = await serveDeltas(Array.from({ length: deltaCount }, () => delta));
  const client = fork(join(import.meta.dirname, "../sse-client.mjs"));
  return {
    units: deltaCount,
    turns: 1,
    minWarmUpTurns: 30,
    async run() {
      const { chars } = await ask(client, server);
      if (chars !== deltaCount * delta.length) throw new Error(`${name} lost something: ${chars}`);
      await server.forget?.();
    },
    probes: { bytes: async () => (await ask(client, server)).bytes },
  };
}

async function ask(client: ChildProcess, { url, init }: DeltaServer): Promise<Read> {
  client.send({ url, init });
  const [found] = (await once(client, "message")) as [Read | { readonly failure: string }];
  if ("failure" in found) throw new Error(found.failure);
  return found;
}
