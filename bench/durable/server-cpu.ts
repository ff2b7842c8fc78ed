/** CPU time of a server with all its processes, those that have ended included. */
import { readdirSync, readFileSync } from "node:fs";

const msPerTick = 10;

interface ProcessTimes {
  readonly parent: number;
  readonly own: number;
  readonly ended: number;
}

/** In milliseconds. Linux only. */
export function cpuMsOf(pid: number): number {
  const { own, ended } = timesOf(pid) ?? { own: 0, ended: 0 };
  let ticks = own + ended;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const times = timesOf(Number(name));
    if (times?.parent === pid) ticks += times.own;
  }
  return ticks * msPerTick;
}

/** Of a process that runs. */
export function parentOf(pid: number): number {
  const { parent } = timesOf(pid) ?? {};
  if (parent === undefined) throw new Error(`There is no process ${pid} on this machine`);
  return parent;
}

function timesOf(pid: number): ProcessTimes | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // The process has ended since the folder was listed: its parent has its time.
    return undefined;
  }
  // The name before the last bracket may hold spaces. After it come the state, the parent and so on.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [parent = 0] = fields.slice(1);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
  return { parent, own: user + system, ended: endedUser + endedSystem };
}
