/** Whether a process is alive: a zombie is not. */
import { execFileSync } from "node:child_process";

export function isAlive(pid: number): boolean {
  try {
    const state = execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    return !state.startsWith("Z");
  } catch {
    // There is none of this number.
    return false;
  }
}
