/** Checks that each child session works on the call that its parent names, that its result is the call's, and that none still works after it. */
import type { EntryOf } from "@capstan/log";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkChildren(world: World): void {
  for (const parent of world.sessions) {
    for (const entry of parent.entries) {
      if (entry.type === "child_started") checkChild(world, parent, entry);
    }
  }
  for (const { fold, ...session } of world.sessions) {
    const { parent } = fold.created ?? {};
    if (parent === undefined) continue;
    const named = world
      .session(parent.sessionId)
      .entries.some((entry) => entry.type === "child_started" && entry.childId === session.id);
    if (!named) world.violations.add("children", `${session.id} is not named by its parent`);
  }
}

function checkChild(
  world: World,
  parent: WatchedSession,
  { toolCallId, childId }: EntryOf<"child_started">,
): void {
  const starts = parent.entries.filter(
    (entry) => entry.type === "child_started" && entry.toolCallId === toolCallId,
  );
  if (starts.length > 1) parent.violate("children", `${toolCallId} has ${starts.length} children`);
  const result = parent.entries.find(
    (entry) => entry.type === "tool_result" && entry.toolCallId === toolCallId,
  );
  const ends = parent.entries.filter(
    (entry) => entry.type === "child_ended" && entry.toolCallId === toolCallId,
  );
  // The client may leave calls unanswered.
  if (result === undefined) return;
  if (ends.length !== 1) {
    parent.violate("children", `${toolCallId} has a result, but its child ${ends.length} ends`);
  }
  const child = world.sessions.find(({ id }) => id === childId);
  // It was stopped before it existed.
  if (child === undefined || child.entries.length === 0) return;
  if (child.fold.status === "running" || child.fold.status === "awaiting_tool_execution") {
    child.violate("children", `its call is settled, but its status is ${child.fold.status}`);
  }
  const [end] = ends;
  if (end?.type !== "child_ended" || end.outcome !== "answered") return;
  const answer = child.fold.transcript.last;
  const text = answer?.role === "assistant" ? answer.content[0] : undefined;
  const said = text?.type === "text" ? text.text : undefined;
  if (result.type === "tool_result" && result.result.output !== said) {
    parent.violate("children", `the result of ${toolCallId} is not the answer of its child`);
  }
}
