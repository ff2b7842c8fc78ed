/** Checks that history is rewound only while no turn runs, to a valid transcript, and that what was cut off never comes back. */
import type { EntryOf } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import { checkTranscript } from "../checkers/check-transcript.ts";
import type { WatchedSession } from "./watched-session.ts";

export function checkRewinds(session: WatchedSession): void {
  const past = new SessionFold();
  const cutOff = new Set<string>();
  let running: string | undefined;
  for (const entry of session.entries) {
    const before = idsOf(past);
    past.apply(entry);
    if (entry.type === "history_rewound") {
      checkRefusal(session, entry, before, running);
      const left = new Set(idsOf(past));
      for (const id of before) if (!left.has(id)) cutOff.add(id);
      if (session.fold.refusalOf(entry.id) === undefined) checkEnd(session, entry, past);
    }
    if (entry.type === "turn_started") running = entry.turnId;
    if (entry.type === "turn_ended") running = undefined;
    if (entry.type === "input" && isStarted(session, entry)) running ??= entry.id;
    if (entry.type === "history_loaded") for (const { id } of entry.messages) cutOff.delete(id);
  }
  for (const id of idsOf(session.fold)) {
    if (cutOff.has(id)) session.violate("effectless", `${id} was cut off, but came back`);
  }
}

function checkRefusal(
  session: WatchedSession,
  { id, to, seq }: EntryOf<"history_rewound">,
  before: readonly string[],
  running: string | undefined,
): void {
  const missing = before.includes(to) ? undefined : "unknown_message";
  const expected = running === undefined ? missing : "turn_unfinished";
  const found = session.fold.refusalOf(id);
  if (found === expected) return;
  const text = `entry ${seq} (rewind to ${to}) was refused with ${found}, not ${expected}; ${running ?? "nothing"} was running`;
  session.violate("effectless", text);
}

/** No call is open, and nothing waits. */
function checkEnd(
  session: WatchedSession,
  { seq }: EntryOf<"history_rewound">,
  { transcript, pending }: SessionFold,
): void {
  for (const { message } of checkTranscript(transcript.messages)) {
    session.violate("transcript", `after the rewind of entry ${seq}: ${message}`);
  }
  if (pending.length > 0) session.violate("effectless", `calls wait after entry ${seq}`);
}

function isStarted({ entries }: WatchedSession, { id, seq }: EntryOf<"input">): boolean {
  return entries.some(
    (entry) => entry.type === "turn_started" && entry.turnId === id && entry.seq > seq,
  );
}

function idsOf({ transcript }: SessionFold): readonly string[] {
  return transcript.messages.map(({ id }) => id);
}
