/** Checks that history is replaced only while no turn is unfinished, and that forgotten messages stay forgotten. */
import type { Entry } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import type { WatchedSession } from "./watched-session.ts";

export function checkHistory(session: WatchedSession): void {
  const { entries, fold } = session;
  const past = new SessionFold();
  const forgotten = new Set<string>();
  let unfinished: string | undefined;
  for (const entry of entries) {
    const isReplaced = entry.type === "history_cleared" || entry.type === "history_loaded";
    if (isReplaced) checkRefusal(session, entry, unfinished);
    if (isReplaced && unfinished === undefined) {
      for (const { id } of past.transcript.messages) forgotten.add(id);
      const loaded = entry.type === "history_loaded" ? entry.messages : [];
      for (const { id } of loaded) forgotten.delete(id);
    }
    past.apply(entry);
    unfinished = unfinishedAfter(session, entry, unfinished);
  }
  for (const { id } of fold.transcript.messages) {
    if (forgotten.has(id)) session.violate("effectless", `${id} was forgotten, but came back`);
  }
}

function checkRefusal(
  session: WatchedSession,
  { id, type, seq }: Entry,
  unfinished: string | undefined,
): void {
  const isRefused = session.fold.refusalOf(id) !== undefined;
  if (isRefused === (unfinished !== undefined)) return;
  const text = `entry ${seq} (${type}) was ${isRefused ? "refused" : "accepted"}, while ${unfinished ?? "nothing"} was unfinished`;
  session.violate("effectless", text);
}

/** Turn that is running, waits for answers, or is about to start for an input. */
function unfinishedAfter(
  { entries, fold }: WatchedSession,
  entry: Entry,
  before: string | undefined,
): string | undefined {
  switch (entry.type) {
    case "input": {
      const isStarted = entries.some(
        (other) =>
          other.type === "turn_started" && other.turnId === entry.id && other.seq > entry.seq,
      );
      return before ?? (isStarted ? entry.id : undefined);
    }
    case "turn_started":
      return entry.turnId;
    case "turn_ended":
      return entry.pending === undefined ? undefined : entry.turnId;
    case "history_rewound":
      // It ends a suspended turn.
      return fold.refusalOf(entry.id) === undefined ? undefined : before;
    default:
      return before;
  }
}
