/** Whether a process runs. One that has ended and was not asked about by its parent yet does not. */
import { readFileSync } from "node:fs";

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    // There is no such process any more.
    return false;
  }
}
