/** Checks that the log is consistent, and was written by its owners only. */
import type { WatchedSession } from "./watched-session.ts";

export function checkLog(session: WatchedSession): void {
  checkSeqs(session);
  checkTurns(session);
  checkResults(session);
  checkEpochs(session);
}

function checkSeqs(session: WatchedSession): void {
  const ids = new Set<string>();
  for (const [index, { seq, id }] of session.stored.entries()) {
    if (seq !== index + 1) session.violate("log", `entry ${index + 1} has the seq ${seq}`);
    if (ids.has(id)) session.violate("log", `two entries have the id ${id}`);
    ids.add(id);
  }
}

function checkTurns(session: WatchedSession): void {
  const ended = new Set<string>();
  const asked = new Set<string>();
  let open: string | undefined;
  for (const entry of session.entries) {
    const turnId = "turnId" in entry ? entry.turnId : undefined;
    const subject = `entry ${entry.seq} (${entry.type} of ${turnId})`;
    switch (entry.type) {
      case "turn_started":
        if (open !== undefined) session.violate("log", `${subject}: ${open} had not ended`);
        if (ended.has(entry.turnId)) session.violate("log", `${subject}: it had ended before`);
        open = entry.turnId;
        break;
      case "turn_ended":
        if (open !== entry.turnId) session.violate("log", `${subject}: the open turn is ${open}`);
        ended.add(entry.turnId);
        open = undefined;
        break;
      case "cancel_requested":
      case "abandon_requested":
      case "queue_settled":
      // The state of a child may be recorded at rest.
      case "child_waiting":
      case "child_granted":
      case "child_ended":
        break;
      case "compact":
        asked.add(entry.id);
        break;
      default:
        // A requested compaction belongs to no turn.
        if (open === undefined && turnId !== undefined && asked.has(turnId)) break;
        if (turnId !== undefined && turnId !== open) {
          session.violate("log", `${subject}: the open turn is ${open}`);
        }
    }
  }
  if (open !== undefined) session.violate("log", `turn ${open} has no end`);
}

function checkResults(session: WatchedSession): void {
  const results = new Set<string>();
  for (const entry of session.entries) {
    if (entry.type !== "tool_result") continue;
    if (results.has(entry.toolCallId)) {
      session.violate("log", `entry ${entry.seq}: call ${entry.toolCallId} has a result already`);
    }
    results.add(entry.toolCallId);
  }
}

function checkEpochs(session: WatchedSession): void {
  let last = 0;
  let lastResumed = 0;
  for (const { id, seq, type, ...entry } of session.entries) {
    const epoch = session.leases.get(id)?.epoch;
    // Copied entries have no epoch of this store.
    if (epoch === undefined || id.startsWith("0~")) continue;
    if (epoch < last) {
      const text = `entry ${seq} (${type}) was appended under epoch ${epoch}, after an entry of epoch ${last}`;
      session.violate("fence", text);
    }
    last = Math.max(last, epoch);
    if (type !== "turn_resumed" || !("epoch" in entry)) continue;
    if (entry.epoch <= lastResumed) {
      session.violate("fence", `entry ${seq}: epoch ${entry.epoch} is not above ${lastResumed}`);
    }
    lastResumed = entry.epoch;
  }
}
