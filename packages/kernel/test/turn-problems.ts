/** Problems that both checkers find in a turn, and its messages by role. */
import { checkEvents, checkTranscript } from "@capstan/testing";
import type { EventOptions, FinishedTurn } from "@capstan/testing";

/** Empty if the turn ended as it should: its transcript may have an open end only if calls wait. */
export function problemsOf(turn: FinishedTurn, options: EventOptions = {}): string[] {
  const allowOpenTail = turn.pending !== undefined;
  return [
    ...checkTranscript(turn.transcript, { allowOpenTail }),
    ...checkEvents(turn.events, options),
  ].map((problem) => problem.message);
}

export function rolesOf(turn: FinishedTurn): string[] {
  return turn.messages.map((message) => message.role);
}
