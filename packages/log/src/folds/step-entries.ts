/** Effects of the entries of a step, each on several parts of a session's fold. */
import { countUsage } from "./count-usage.ts";
import type { EntryOf } from "../entries/entries.ts";
import { isHalted } from "./next-action.ts";
import type { SessionFold } from "./session-fold.ts";

export function endAttempt(session: SessionFold, entry: EntryOf<"attempt_ended">): void {
  const { transcript, turn, context, compactions } = session;
  const { step } = transcript;
  const isReply = step?.step === entry.step;
  turn?.endAttempt(entry, isReply);
  countUsage(session, entry);
  if (entry.outcome === "completed") {
    context.report(entry, transcript.length);
    compactions.measure(entry.usage?.inputTokens);
  }
  if (entry.outcome === "discarded" || entry.outcome === "rejected") return;
  if (isReply ? step.isEmpty : entry.outcome !== "completed") turn?.endStep();
}

export function addMessage(
  { transcript, turn }: SessionFold,
  { message, step }: EntryOf<"message">,
): void {
  turn?.advance();
  if (message.role === "assistant") {
    transcript.addReply(message, step);
    turn?.addReply(step);
  } else {
    transcript.add([message]);
    turn?.passStep(step);
  }
}

export function settleQueue(
  session: SessionFold,
  { ids, outcome, turnId }: EntryOf<"queue_settled">,
): void {
  const { transcript, turn, queues } = session;
  const isDelivered = outcome.type === "delivered";
  if (isDelivered) {
    transcript.add(session.messagesOf(ids));
    turn?.advance();
  }
  queues.settle(ids, isDelivered ? { type: "delivered", turnId } : outcome);
}

/** A process continues the turn of another one: the attempt under way is lost. */
export function resumeTurn(session: SessionFold): void {
  interruptCompaction(session);
  const { turn } = session;
  const underWay = turn?.underWay;
  if (underWay === undefined || underWay.state === "over") return;
  // The usage of an open attempt is unknown.
  if (underWay.state === "open") countUsage(session, {});
  turn?.voidAttempt();
}

/** The usage of the lost compaction is unknown. */
export function interruptCompaction(session: SessionFold): void {
  if (session.compactions.interrupt()) countUsage(session, {});
}

/** When a turn continues, calls that were not answered in time get an answer, unless the turn only continues to end. */
export function giveUpOverdue({ turn, transcript }: SessionFold, at: number): void {
  if (turn?.isStopped !== true) transcript.step?.giveUp(at);
}

export function endTurn(
  { turn, transcript, queues }: SessionFold,
  entry: EntryOf<"turn_ended">,
): void {
  turn?.finish(entry);
  if (entry.pending === undefined) transcript.closeStep();
  if (isHalted(entry)) queues.hold();
}
