/** Processes that a test has not started itself. */
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Resolves once the process is gone. A zombie counts as gone. */
export async function processEnded(pid: number): Promise<void> {
  // Only a parent is notified.
  while (isAlive(pid)) await setTimeout(10);
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    // There is no such process any more.
    return false;
  }
}
