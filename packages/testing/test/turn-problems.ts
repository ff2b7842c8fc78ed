/** What both checkers say about a turn. */
import { checkEvents, checkTranscript } from "@capstan/testing";
import type { FinishedTurn } from "@capstan/testing";

/** Where the journal failed, nothing takes effect any more: the transcript stays as it is. */
export function problemsOf(turn: FinishedTurn): unknown[] {
  const allowOpenTail = turn.pending !== undefined;
  const isCut = turn.error?.code === "journal_failed";
  return [
    ...(isCut ? [] : checkTranscript(turn.transcript, { allowOpenTail })),
    ...checkEvents(turn.events),
  ];
}

export function rolesOf(turn: FinishedTurn): string[] {
  return turn.messages.map((message) => message.role);
}
