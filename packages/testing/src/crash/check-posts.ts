/** Checks that every post had its effect once, or was refused. */
import type { ToolResult } from "@capstan/kernel";
import type { Entry, EntryOf } from "@capstan/log";
import { isDeepStrictEqual } from "node:util";
import { ageOf } from "./ages.ts";
import { decisionOn } from "./decision-on.ts";
import type { Effect } from "./effects.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkPosts(world: World, session: WatchedSession): void {
  for (const entry of session.entries) {
    if (entry.type === "steer" || entry.type === "follow_up") checkQueued(session, entry.id);
    if (entry.type === "cancel_requested") checkCancel(session, entry);
    if (entry.type === "abandon_requested") checkAbandon(session, entry);
    if (entry.type === "input") checkInput(session, entry);
    if (entry.type === "answer") checkAnswer(session, entry);
    if (entry.type === "compact") checkCompact(session, entry);
    if (entry.type === "decision") checkDecision(world, session, entry);
  }
}

/** The message reached the model once, was returned, or waits for the user. */
function checkQueued(session: WatchedSession, id: string): void {
  const { fold, entries } = session;
  const outcome = fold.queues.outcomeOf(id);
  const deliveries = entries.filter((entry) => {
    if (entry.type === "turn_started") return entry.input.includes(id);
    if (entry.type !== "queue_settled") return false;
    return entry.outcome.type === "delivered" && entry.ids.includes(id);
  });
  const isForgotten = entries.some(
    (entry) =>
      (entry.type === "history_cleared" ||
        entry.type === "history_loaded" ||
        entry.type === "history_rewound") &&
      entry.seq > (deliveries[0]?.seq ?? Infinity),
  );
  const said = fold.transcript.messages.filter((message) => message.id === id).length;
  const expected = outcome?.type === "delivered" ? 1 : 0;
  const isHeld = fold.queues.find(id)?.isHeld === true;
  const isRight = deliveries.length === expected && (isForgotten || said === expected);
  if (isRight && (outcome !== undefined || isHeld)) return;
  const text = `${id} is ${outcome?.type ?? "queued"}, was delivered ${deliveries.length} times, and is ${said} times in the transcript`;
  session.violate("effectless", text);
}

/** A cancelled turn ends as aborted, unless it had ended; a turn that failed at that moment may end in the error, and so may a fork's. */
function checkCancel(session: WatchedSession, entry: EntryOf<"cancel_requested">): void {
  const { entries, fold } = session;
  const isOfCompaction = fold.compactions.outcomeOf(entry.turnId) !== undefined;
  if (isOfCompaction || fold.refusalOf(entry.id) !== undefined) return;
  const root = session.rootOf(entry.turnId);
  const last = entries.findLast(
    (other) => other.type === "turn_ended" && session.rootOf(other.turnId) === root,
  );
  const reason = last?.type === "turn_ended" ? last.finishReason : undefined;
  if (reason === "aborted" || reason === "error" || reason === "forked") return;
  if (isRewoundAfter(session, entry)) return;
  session.violate("effectless", `${entry.turnId} was cancelled, but ended with ${reason}`);
}

/** An abandoned turn ends as such, unless it had ended; a fork of it ends as a fork. */
function checkAbandon(session: WatchedSession, entry: EntryOf<"abandon_requested">): void {
  const { entries, fold } = session;
  if (fold.refusalOf(entry.id) !== undefined) return;
  const root = session.rootOf(entry.turnId);
  const last = entries.findLast(
    (other) => other.type === "turn_ended" && session.rootOf(other.turnId) === root,
  );
  if (last?.type !== "turn_ended") return session.violate("effectless", `${root} has no end`);
  if (last.error?.code === "abandoned" || last.finishReason === "forked") return;
  session.violate("effectless", `${root} was abandoned, but ended with ${last.finishReason}`);
}

/** The input started one turn; or, if it settled pending calls, each of its messages was delivered like a queued one. */
function checkInput(session: WatchedSession, { id, messages }: EntryOf<"input">): void {
  const { entries, fold } = session;
  if (fold.refusalOf(id) !== undefined) return;
  if (fold.turnIdOf(id) !== id)
    return messages.forEach((message) => checkQueued(session, message.id));
  const starts = entries.filter((entry) => entry.type === "turn_started" && entry.turnId === id);
  if (starts.length === 1) return;
  session.violate("effectless", `the input ${id} started ${starts.length} turns`);
}

/** The request has exactly one outcome. */
function checkCompact(session: WatchedSession, { id }: EntryOf<"compact">): void {
  const ends = session.entries.filter(
    (entry) =>
      (entry.type === "compaction" || entry.type === "compaction_failed") &&
      entry.requests?.includes(id) === true,
  );
  if (ends.length === 1) return;
  session.violate("effectless", `${id} requested a compaction, but has ${ends.length} outcomes`);
}

/** The first answer to a call is its result, unless the turn was stopped. */
function checkAnswer(session: WatchedSession, entry: EntryOf<"answer">): void {
  const { entries, fold } = session;
  if (fold.refusalOf(entry.id) !== undefined) return;
  const { toolCallId } = entry;
  // The tool of a suspended call gets the answer, and makes the result.
  if (entries.some((other) => other.type === "suspended" && other.toolCallId === toolCallId))
    return;
  const result = resultOf(toolCallId, entries);
  if (isDeepStrictEqual(result, entry.result)) return;
  if (entries.some(isStop)) return;
  if (isRewoundAfter(session, entry)) return;
  session.violate("effectless", `the answer to ${entry.toolCallId} did not become its result`);
}

function isStop({ type }: Entry): boolean {
  return type === "cancel_requested" || type === "abandon_requested";
}

/** Only the first decision about exactly what is pending takes effect. */
function checkDecision(world: World, session: WatchedSession, entry: EntryOf<"decision">): void {
  const { entries, fold } = session;
  const { toolCallId, isApproved } = entry;
  if (fold.refusalOf(entry.id) !== undefined) return;
  if (decisionOn(entries, toolCallId) !== entry) {
    session.violate("effectless", `a decision on ${toolCallId} was accepted that does not count`);
  }
  const isStopped = entries.some(isStop);
  const hasRun = world.effects.all.some(
    (effect) => effect.toolCallId === toolCallId && isOf(world, session, effect),
  );
  const result = resultOf(toolCallId, entries);
  if (!isApproved && hasRun) session.violate("effectless", `${toolCallId} was denied, but ran`);
  // The other calls of the step may still be pending.
  if (result !== undefined || isStopped || fold.turn?.isSuspended === true) return;
  if (isRewoundAfter(session, entry)) return;
  session.violate("effectless", `${toolCallId} was decided on, but has no result`);
}

/** The first result of a call, of the model or of a tool. A call of a tool that is gone by now has none: then that of the tool's own call. */
function resultOf(toolCallId: string, entries: readonly Entry[]): ToolResult | undefined {
  for (const entry of entries) {
    const isResult = entry.type === "tool_result" || entry.type === "nested_result";
    if (!isResult) continue;
    if (entry.toolCallId === toolCallId) return entry.result;
    const isOuter = toolCallId.startsWith(`${entry.toolCallId}.`);
    const { output } = entry.result;
    if (isOuter && typeof output === "string" && output.startsWith("Unknown tool")) {
      return entry.result;
    }
  }
  return undefined;
}

/** A rewind cuts a suspended turn away, with what was posted about it. */
function isRewoundAfter({ entries, fold }: WatchedSession, { seq }: Entry): boolean {
  return entries.some(
    (entry) =>
      entry.type === "history_rewound" && entry.seq > seq && fold.refusalOf(entry.id) === undefined,
  );
}

/** Calls of sessions with the same id may have equal ids. */
function isOf({ hasAges }: World, { age }: WatchedSession, { input }: Effect): boolean {
  return !hasAges || ageOf(input) === age;
}
