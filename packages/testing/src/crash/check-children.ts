/** Checks that each child session works on the call that its parent names, that its result arrives once, that none still works after it, and that none gets a budget that its parent has not recorded. */
import type { ChatMessage } from "@capstan/kernel";
import type { Entry, EntryOf } from "@capstan/log";
import { isDeepStrictEqual } from "node:util";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkChildren(world: World): void {
  for (const parent of world.sessions) {
    const forkedAt = parent.entries.findLastIndex(({ type }) => type === "forked_from");
    for (const entry of parent.entries.slice(forkedAt + 1)) {
      if (entry.type === "child_started") checkChild(world, parent, entry);
    }
  }
  for (const session of world.sessions) {
    const { parent } = session.fold.created ?? {};
    if (parent === undefined) continue;
    const isNamed = world
      .session(parent.sessionId)
      .entries.some((entry) => entry.type === "child_started" && entry.childId === session.id);
    if (!isNamed) world.violations.add("children", `${session.id} is not named by its parent`);
    checkGrants(world, world.session(parent.sessionId), session);
  }
}

/** Checks that a budget is recorded before a child gets it: otherwise its parent could promise the same tokens to others. */
function checkGrants(world: World, parent: WatchedSession, child: WatchedSession): void {
  for (const posted of child.entries) {
    if (posted.type !== "budget_granted") continue;
    const granted = parent.entries.find(
      (entry): entry is EntryOf<"child_granted"> =>
        entry.type === "child_granted" &&
        entry.childId === child.id &&
        entry.childSeq === posted.childSeq,
    );
    const isRecorded =
      granted !== undefined &&
      isDeepStrictEqual(granted.budget, posted.budget) &&
      world.momentOf(parent, granted) < world.momentOf(child, posted);
    if (!isRecorded) {
      child.violate("children", `entry ${posted.seq}: its parent had not recorded this budget`);
    }
  }
}

function checkChild(world: World, parent: WatchedSession, started: EntryOf<"child_started">): void {
  const { toolCallId, childId, mode } = started;
  const starts = entriesOf(parent, "child_started", toolCallId);
  if (starts.length > 1) parent.violate("children", `${toolCallId} has ${starts.length} children`);
  const [result] = entriesOf(parent, "tool_result", toolCallId);
  // The client may leave calls unanswered.
  if (result === undefined) return;
  const child = world.sessions.find(({ id }) => id === childId);
  // It may wait for an answer that does not come.
  const isWaiting = child?.fold.status === "awaiting_tool_execution";
  const ends = entriesOf(parent, "child_ended", toolCallId);
  if (ends.length !== 1 && !(mode === "background" && isWaiting && ends.length === 0)) {
    parent.violate("children", `${toolCallId} has a result, but its child ${ends.length} ends`);
  }
  const [end] = ends;
  // It was stopped before it existed.
  if (child === undefined || child.entries.length === 0 || end === undefined) return;
  if (child.fold.status === "running" || isWaiting) {
    child.violate("children", `it has ended, but its status is ${child.fold.status}`);
  }
  if (mode === "background") return checkMessage(parent, child, end);
  if (end.outcome !== "answered") return;
  if (result.result.output !== answerOf(child)) {
    parent.violate("children", `the result of ${toolCallId} is not the answer of its child`);
  }
}

/** The answer of a child in the background reached the model once, or waits for the user; if the child was stopped, it did not. */
function checkMessage(
  parent: WatchedSession,
  child: WatchedSession,
  { outcome, childId, seq }: EntryOf<"child_ended">,
): void {
  const { fold, entries } = parent;
  const isIt = (message: ChatMessage): boolean =>
    message.role === "user" && message.source === "child" && textIn(message).includes(childId);
  const said = fold.transcript.messages.filter(isIt);
  const held = fold.queues.items.filter(({ message, isHeld }) => isHeld && isIt(message));
  const isForgotten = entries.some((entry) => isNewHistory(entry) && entry.seq > seq);
  const [most, least] = [
    outcome === "stopped" ? 0 : 1,
    outcome === "stopped" || isForgotten ? 0 : 1,
  ];
  const count = said.length + held.length;
  if (count > most || count < least) {
    parent.violate("children", `the answer of ${childId}, ${outcome}, arrived ${count} times`);
  }
  const [message] = said;
  if (outcome === "answered" && message && !textIn(message).endsWith(answerOf(child) ?? "?")) {
    parent.violate("children", `the message of ${childId} is not its answer`);
  }
}

function isNewHistory({ type }: Entry): boolean {
  return type === "history_cleared" || type === "history_loaded" || type === "history_rewound";
}

function textIn(message: ChatMessage): string {
  return message.role === "user" && typeof message.content === "string" ? message.content : "";
}

function answerOf({ fold }: WatchedSession): string | undefined {
  const answer = fold.transcript.last;
  const part = answer?.role === "assistant" ? answer.content[0] : undefined;
  return part?.type === "text" ? part.text : undefined;
}

function entriesOf<Type extends "child_started" | "child_ended" | "tool_result">(
  { entries }: WatchedSession,
  type: Type,
  toolCallId: string,
): readonly EntryOf<Type>[] {
  return entries.filter(
    (entry): entry is EntryOf<Type> => entry.type === type && entry.toolCallId === toolCallId,
  );
}
