/** Which process holds something, so that others on the same machine can tell whether it is still there. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system counts; a pid is given again. Absent where the system does not tell. */
  readonly start?: string;
  /** Where its pid means something. */
  readonly place: string;
}

let own: ProcessIdentity | undefined;

/** As text, for a file or a column. */
export function ownIdentity(): string {
  return JSON.stringify(identity());
}

export type Fate = "alive" | "dead" | "unknown";

/** `unknown` if there is any doubt: it may run on another machine, or behind another wall of this one. */
export function fateOf(text: string): Fate {
  const { pid, start, place } = parse(text);
  const self = identity();
  if (pid === undefined || place !== self.place) return "unknown";
  if (pid === self.pid) return start === self.start ? "alive" : "dead";
  if (!hasPid(pid)) return "dead";
  // The pid may have been given again.
  return start === undefined || startOf(pid) === start ? "alive" : "dead";
}

function identity(): ProcessIdentity {
  if (own?.pid === process.pid) return own;
  const start = startOf("self");
  const place = start === undefined ? `${process.platform} ${hostname()}` : linuxPlace();
  own = { pid: process.pid, place, ...(start === undefined ? {} : { start }) };
  return own;
}

/** A pid is that of one boot and one namespace: two containers count their processes each for itself. */
function linuxPlace(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // Without permission to signal it, it is there all the same.
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** In ticks since the boot. Undefined if there is no such process, if it has ended and nobody has asked how, or on other systems. */
function startOf(pid: number | "self"): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    // No such process, or no such file system: not knowing is the answer.
    return undefined;
  }
}

/** What cannot be read is of nobody that we know. */
function parse(text: string): Partial<ProcessIdentity> {
  try {
    // Each field is looked at by its user.
    return (JSON.parse(text) as Partial<ProcessIdentity> | null) ?? {};
  } catch {
    // A file of no process that is known here.
    return {};
  }
}
