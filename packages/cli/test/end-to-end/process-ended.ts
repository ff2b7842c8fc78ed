/** Processes that a test has not started itself. */
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Resolves once it is gone. One that nobody has asked about yet counts as gone. */
export async function processEnded(pid: number): Promise<void> {
  // Nobody tells who is not its parent.
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
