/** Finds the decision about a call: the first one that names exactly what is pending counts. */
import type { Entry, EntryOf } from "@capstan/log";

export function decisionOn(
  entries: readonly Entry[],
  toolCallId: string,
): EntryOf<"decision"> | undefined {
  let hash: string | undefined;
  for (const entry of entries) {
    if (entry.type === "pending" || entry.type === "suspended") {
      const waiting = entry.pending.find((call) => call.toolCallId === toolCallId);
      if (waiting?.kind === "approval") ({ hash } = waiting);
    }
    const isAbout = entry.type === "decision" && entry.toolCallId === toolCallId;
    if (isAbout && hash !== undefined && entry.hash === hash) return entry;
  }
  return undefined;
}
