/** The log does not contradict itself, and only its owners have written it. */
import type { WatchedSession } from "./watched-session.ts";

export function checkLog(session: WatchedSession): void {
  checkPlaces(session);
  checkTurns(session);
  checkResults(session);
  checkEpochs(session);
}

function checkPlaces(session: WatchedSession): void {
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
    const place = `entry ${entry.seq} (${entry.type} of ${turnId})`;
    switch (entry.type) {
      case "turn_started":
        if (open !== undefined) session.violate("log", `${place}: ${open} had not ended`);
        if (ended.has(entry.turnId)) session.violate("log", `${place}: it had ended before`);
        open = entry.turnId;
        break;
      case "turn_ended":
        if (open !== entry.turnId) session.violate("log", `${place}: open is ${open}`);
        ended.add(entry.turnId);
        open = undefined;
        break;
      case "cancel_requested":
      case "queue_settled":
        break;
      case "compact":
        asked.add(entry.id);
        break;
      default:
        // A compaction that was asked for belongs to no turn.
        if (open === undefined && turnId !== undefined && asked.has(turnId)) break;
        if (turnId !== undefined && turnId !== open) {
          session.violate("log", `${place}: open is ${open}`);
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
    // What was copied has no epoch of this store.
    if (epoch === undefined || id.startsWith("0~")) continue;
    if (epoch < last) {
      const text = `entry ${seq} (${type}) was appended under epoch ${epoch}, after one of ${last}`;
      session.violate("fence", text);
    }
    last = Math.max(last, epoch);
    if (type !== "turn_resumed" || !("epoch" in entry)) continue;
    if (entry.epoch <= lastResumed) {
      session.violate(
        "fence",
        `entry ${seq}: the epoch ${entry.epoch} is not above ${lastResumed}`,
      );
    }
    lastResumed = entry.epoch;
  }
}
