/** One subject under one load: a process that serves, a process that reads, and what they tell. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Metered } from "./meter.ts";

export interface Load {
  readonly sessions: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** Readers that take nothing. */
  readonly stalled?: number;
}

export interface CpuTaken {
  readonly cpuPerEventUs: number;
  /** Of one core. */
  readonly share: number;
}

export interface Taken extends CpuTaken {
  readonly p50: number;
  readonly p99: number;
  readonly rssPerStreamKB: number;
  /** Streams that were not whole and in order. */
  readonly wrong: number;
}

const warmUpRounds = 15;

const execArgv = ["--conditions=@capstan/source", "--no-warnings", "--expose-gc"];

export async function runLoad(name: string, load: Load): Promise<Taken> {
  const { sessions, perSecond, seconds, stalled = 0 } = load;
  const server = start("serve.ts", [name, perSecond, seconds]);
  try {
    const { port } = await next<{ readonly port: number }>(server);
    await warmUp(port, load);
    server.send("begin");
    await next(server);
    const seen = await read(port, load, stalled);
    server.send("end");
    const taken = await next<Metered>(server);
    return {
      ...cpuOf(taken, load),
      rssPerStreamKB: taken.rssBytes / 1_000 / sessions,
      ...seen,
    };
  } finally {
    server.kill("SIGKILL");
  }
}

/** What it takes to make the deltas, which the server's process does as well. */
export async function runPace(load: Load): Promise<CpuTaken> {
  const { sessions, perSecond, seconds } = load;
  const pace = start("pace-alone.ts", [sessions, perSecond, seconds]);
  return cpuOf(await next<Metered>(pace), load);
}

function cpuOf({ cpuMs, wallMs }: Metered, { sessions, perSecond, seconds }: Load): CpuTaken {
  return {
    cpuPerEventUs: (cpuMs * 1_000) / (sessions * perSecond * seconds),
    share: cpuMs / wallMs,
  };
}

/** What is compiled and allocated once does not count: neither for a delta, nor for a stream that begins and ends. */
async function warmUp(port: number, load: Load): Promise<void> {
  const short = { ...load, sessions: Math.min(100, load.sessions), seconds: 1 };
  for (let round = 0; round < warmUpRounds; round++) await read(port, short, 0);
}

type Seen = Pick<Taken, "p50" | "p99" | "wrong">;

async function read(
  port: number,
  { sessions, perSecond, seconds }: Load,
  stalled: number,
): Promise<Seen> {
  // The first second is that in which everybody comes.
  const reader = start("read.ts", [port, sessions, perSecond * seconds, stalled, perSecond]);
  return next<Seen>(reader);
}

function start(script: string, args: readonly (string | number)[]): ChildProcess {
  return fork(join(import.meta.dirname, script), args.map(String), { execArgv });
}

async function next<T>(child: ChildProcess): Promise<T> {
  const gone = once(child, "exit").then(([code]) => {
    throw new Error(`A process of the load ended with ${String(code)}`);
  });
  const [message] = (await Promise.race([once(child, "message"), gone])) as [T];
  // It has said what was asked for, and may end later.
  gone.catch(() => {});
  return message;
}
