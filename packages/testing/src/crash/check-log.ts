/** The log does not contradict itself, and only its owners have written it. */
import type { World } from "./world.ts";

export function checkLog(world: World): void {
  checkPlaces(world);
  checkTurns(world);
  checkResults(world);
  checkEpochs(world);
}

function checkPlaces({ stored, violations }: World): void {
  const ids = new Set<string>();
  for (const [index, { seq, id }] of stored.entries()) {
    if (seq !== index + 1) violations.add("log", `entry ${index + 1} has the seq ${seq}`);
    if (ids.has(id)) violations.add("log", `two entries have the id ${id}`);
    ids.add(id);
  }
}

function checkTurns({ entries, violations }: World): void {
  const ended = new Set<string>();
  let open: string | undefined;
  for (const entry of entries) {
    const turnId = "turnId" in entry ? entry.turnId : undefined;
    const place = `entry ${entry.seq} (${entry.type} of ${turnId})`;
    switch (entry.type) {
      case "turn_started":
        if (open !== undefined) violations.add("log", `${place}: ${open} had not ended`);
        if (ended.has(entry.turnId)) violations.add("log", `${place}: it had ended before`);
        open = entry.turnId;
        break;
      case "turn_ended":
        if (open !== entry.turnId) violations.add("log", `${place}: open is ${open}`);
        ended.add(entry.turnId);
        open = undefined;
        break;
      case "cancel_requested":
      case "queue_settled":
        break;
      default:
        if (turnId !== undefined && turnId !== open) {
          violations.add("log", `${place}: open is ${open}`);
        }
    }
  }
  if (open !== undefined) violations.add("log", `turn ${open} has no end`);
}

function checkResults({ entries, violations }: World): void {
  const results = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== "tool_result") continue;
    if (results.has(entry.toolCallId)) {
      violations.add("log", `entry ${entry.seq}: call ${entry.toolCallId} has a result already`);
    }
    results.add(entry.toolCallId);
  }
}

function checkEpochs({ entries, leases, violations }: World): void {
  let last = 0;
  let lastResumed = 0;
  for (const { id, seq, type, ...entry } of entries) {
    const epoch = leases.get(id)?.epoch;
    if (epoch === undefined) continue;
    if (epoch < last) {
      const text = `entry ${seq} (${type}) was appended under epoch ${epoch}, after one of ${last}`;
      violations.add("fence", text);
    }
    last = Math.max(last, epoch);
    if (type !== "turn_resumed" || !("epoch" in entry)) continue;
    if (entry.epoch <= lastResumed) {
      violations.add("fence", `entry ${seq}: the epoch ${entry.epoch} is not above ${lastResumed}`);
    }
    lastResumed = entry.epoch;
  }
}
