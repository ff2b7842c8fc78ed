/** B6: what it costs to turn the bytes of a streamed reply into a message. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Bench, Figure, Pace, Workload } from "../bench.ts";
import { judge } from "../bench.ts";
import { interleave } from "../interleave.ts";
import { makeScript, Seen } from "../script.mjs";
import type { Subject, WireProtocol } from "../subject.ts";
import { withWorkers } from "../timed-workers.ts";

const textDeltas = 5_000;
const floor = "floor";
const protocols: readonly WireProtocol[] = ["openai", "anthropic"];

export const b6: Bench = {
  name: "B6",
  what: "5,000 text deltas over HTTP, from their bytes to the final message",
  unit: "delta",
  isFor: ({ wire }) => wire !== undefined,
  workloads: {
    openai: (subject) => replies(subject, "openai"),
    anthropic: (subject) => replies(subject, "anthropic"),
  },
  async measure(subjects, pace) {
    const figures: Figure[] = [];
    for (const protocol of protocols) {
      const speakers = subjects.filter(({ wire }) => wire?.[protocol] !== undefined);
      figures.push(...(await compare(speakers, protocol, pace)));
    }
    return figures;
  },
};

async function compare(
  subjects: readonly Subject[],
  protocol: WireProtocol,
  pace: Pace,
): Promise<Figure[]> {
  return withWorkers("B6", subjects, [protocol], pace, async (workers) => {
    const times = await interleave(workers, pace.rounds, (worker) => worker.round(pace));
    const floorTime = Array.from(times).find(([{ subject }]) => subject.name === floor)?.[1];
    if (floorTime === undefined) throw new Error(`B6 needs ${floor} to compare with`);
    return Array.from(times, ([{ subject }, perUnit]): Figure => {
      const ratio = perUnit / floorTime;
      const verdict = judge(subject, "B6", "ratio", ratio);
      const name = `${subject.name}, ${protocol}`;
      return { bench: "B6", subject: name, perUnit, ratio, base: floor, ...verdict };
    });
  });
}

/** The server is a process of its own, so that its time does not count. It ends with this one. */
async function replies({ name, wire }: Subject, protocol: WireProtocol): Promise<Workload> {
  const ask = wire?.[protocol];
  if (ask === undefined) throw new Error(`${name} does not speak to ${protocol}`);
  const server = fork(join(import.meta.dirname, "../sse-server.mjs"), [String(textDeltas)]);
  const [{ port }] = (await once(server, "message")) as [{ readonly port: number }];
  const baseURL = `http://127.0.0.1:${port}/bulk`;
  const { text } = makeScript({ textDeltas });
  return {
    units: textDeltas,
    turns: 1,
    minWarmUpTurns: 30,
    async run() {
      const seen = new Seen();
      const answer = await ask({ baseURL, seen });
      const isRight = answer === text && seen.deltas === textDeltas && seen.chars === text.length;
      if (!isRight) throw new Error("A reply is not what the server sent");
    },
  };
}
