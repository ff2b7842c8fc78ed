/** Identity of a process that holds something, so that others on the same machine can tell whether it is alive. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the system's units, as pids are reused. Absent if the system does not report it. */
  readonly start?: string;
  /** Scope in which the pid is unique. */
  readonly place: string;
}

let own: ProcessIdentity | undefined;

/** Encoded as text, for a file or a column. */
export function ownIdentity(): string {
  return JSON.stringify(identity());
}

export type Fate = "alive" | "dead" | "unknown";

/** `unknown` if there is any doubt: it may run on another machine, or in another container. */
export function fateOf(text: string): Fate {
  const { pid, start, place } = parse(text);
  const self = identity();
  if (pid === undefined || place !== self.place) return "unknown";
  if (pid === self.pid) return start === self.start ? "alive" : "dead";
  if (!hasPid(pid)) return "dead";
  // The pid may have been reused.
  return start === undefined || startOf(pid) === start ? "alive" : "dead";
}

function identity(): ProcessIdentity {
  if (own?.pid === process.pid) return own;
  const start = startOf("self");
  const place = start === undefined ? `${process.platform} ${hostname()}` : linuxPlace();
  own = { pid: process.pid, place, ...(start === undefined ? {} : { start }) };
  return own;
}

/** A pid belongs to one boot and one namespace: containers number their processes independently. */
function linuxPlace(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // A process we may not signal exists all the same.
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** In ticks since the boot. Undefined if the process does not exist, if it is a zombie, or on other systems. */
function startOf(pid: number | "self"): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    // No such process, or no such file system: the start time is unknown.
    return undefined;
  }
}

/** Unreadable text identifies no process. */
function parse(text: string): Partial<ProcessIdentity> {
  try {
    // Callers check each field.
    return (JSON.parse(text) as Partial<ProcessIdentity> | null) ?? {};
  } catch {
    // Not the file of a known process.
    return {};
  }
}
