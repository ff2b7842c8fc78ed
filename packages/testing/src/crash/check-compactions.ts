/** Checks that every summary request is recorded, and made at most once per model request. */
import { SessionFold } from "@capstan/log";
import { checkTranscript } from "../checkers/check-transcript.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkCompactions(world: World, session: WatchedSession): void {
  checkAsked(world, session);
  checkCounts(session);
  checkCuts(session);
}

/** Compactions copied into a fork were requested elsewhere. */
function checkAsked({ requests, replaced }: World, session: WatchedSession): void {
  const asked = requests.filter(
    (request) => request.sessionId === session.id && request.isSummary && request.attempt === 1,
  ).length;
  // Requests name their session by its id, which earlier sessions may have had.
  const namesakes = replaced.filter(({ id }) => id === session.id);
  const entries = [session, ...namesakes].flatMap((one) => one.entries);
  const started = entries.filter(({ type }) => type === "compaction_started").length;
  if (asked <= started) return;
  session.violate("requests", `${asked} summaries were requested, but ${started} are recorded`);
}

/** Compactions that were stopped, or requested by a client, do not count. */
function checkCounts(session: WatchedSession): void {
  let count = 0;
  for (const entry of session.entries) {
    if (entry.type === "attempt" || entry.type === "turn_started") count = 0;
    const isEnd =
      entry.type === "compaction" ||
      (entry.type === "compaction_failed" && entry.reason === "failed");
    if (!isEnd || entry.requests !== undefined) continue;
    count += 1;
    if (count > 1)
      session.violate("log", `entry ${entry.seq}: a second compaction for one request`);
  }
}

/** Checks that the messages after a summary are a valid transcript. */
function checkCuts(session: WatchedSession): void {
  const fold = new SessionFold();
  for (const entry of session.entries) {
    fold.apply(entry);
    if (entry.type !== "compaction") continue;
    const { summary } = fold.context;
    // It was cut off while the summary was written.
    const isCutOff = session.entries.some(
      ({ type, seq }) => type === "history_rewound" && seq < entry.seq,
    );
    if (isCutOff && !fold.transcript.has(entry.through)) continue;
    if (summary?.through !== entry.through) {
      session.violate("log", `entry ${entry.seq}: a summary of missing messages`);
      continue;
    }
    const rest = fold.transcript.messages.slice(fold.transcript.indexAfter(summary.through));
    const head = { role: "user", id: summary.id, content: summary.text } as const;
    for (const { message } of checkTranscript([head, ...rest], { allowOpenTail: true })) {
      session.violate("transcript", `after the summary of entry ${entry.seq}: ${message}`);
    }
  }
}
