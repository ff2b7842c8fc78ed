/** Stops children whose calls got their results in another way: the turn was aborted, or the call ran out of time. */
import type { Child, OwnedBody } from "@capstan/log";
import type { SessionHost } from "../session/session-host.ts";
import { taskIdOf } from "./child-ids.ts";
import { cancelTask } from "./child-posts.ts";

/** Cancels the children, and returns the entries that record it. Cancelling again has no further effect. */
export async function stopChildren(
  host: SessionHost,
  children: readonly Child[],
  turnId: string,
): Promise<readonly OwnedBody[]> {
  for (const { childId, toolCallId } of children) {
    await cancelTask(host, childId, taskIdOf(childId, toolCallId), "The caller stopped");
  }
  return children.map(({ childId, toolCallId }) => ({
    type: "child_ended",
    turnId,
    toolCallId,
    childId,
    outcome: "stopped",
  }));
}
