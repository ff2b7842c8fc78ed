/** Records what became of child sessions since the last look, and stops those that must not work any more. */
import type { Child, OwnedBody } from "@capstan/log";
import { pendingVia } from "@capstan/log";
import { answerAsking } from "./budget-answers.ts";
import { taskIdOf } from "./child-ids.ts";
import { cancelTask } from "./child-posts.ts";
import type { ParentSession } from "./start-child.ts";

/** Appends the entries. `turnId` is that of the turn that runs; undefined between two turns. Doing this again has no further effect. */
export async function attendChildren(
  parent: ParentSession,
  children: readonly Child[],
  turnId: string | undefined,
): Promise<void> {
  const { host, append } = parent;
  const bodies: OwnedBody[] = [];
  for (const child of children) {
    const { childId, toolCallId } = child;
    const taskId = taskIdOf(childId, toolCallId);
    const of = { turnId: turnId ?? taskId, toolCallId, childId };
    if (child.isBackground && child.isAsking && !child.isCut && !child.isUnnoted) {
      await answerAsking(parent, toolCallId, of.turnId);
      continue;
    }
    const body = toBody(child, of);
    if (body.type === "child_ended" && body.outcome === "stopped") {
      const isLate = body.reason !== undefined;
      const reason = isLate ? "out of time" : "The caller stopped";
      await cancelTask(host, childId, taskId, reason);
    }
    bodies.push(body);
  }
  if (bodies.length > 0) await append(bodies);
}

/** Tells children again what they were granted: a process may have ended before it did. */
export async function repeatAnswers(parent: ParentSession): Promise<void> {
  for (const { toolCallId, isAsking, lastReport } of parent.log.fold.children.all) {
    if (lastReport?.type === "asking" && !isAsking) await answerAsking(parent, toolCallId, "");
  }
}

type OfChild = Pick<
  Extract<OwnedBody, { readonly type: "child_ended" }>,
  "turnId" | "toolCallId" | "childId"
>;

function toBody(
  { isBackground, isCut, isUnnoted, lastReport, childSeq, childId, toolCallId, agent }: Child,
  of: OfChild,
): Extract<OwnedBody, { readonly type: "child_ended" | "child_waiting" }> {
  if (isUnnoted) {
    const pending = lastReport?.type === "waiting" ? lastReport.pending : [];
    const via = pendingVia({ agent, sessionId: childId, toolCallId }, pending);
    return { type: "child_waiting", ...of, childSeq, pending: via };
  }
  if (isBackground && !isCut && lastReport?.type === "ended") {
    const { result, usage, cost } = lastReport;
    const outcome = result.isError ? "failed" : "answered";
    const ended = { type: "child_ended", ...of, outcome, usage } as const;
    return cost === undefined ? ended : { ...ended, cost };
  }
  const stopped = { type: "child_ended", ...of, outcome: "stopped" } as const;
  return isBackground && !isCut ? { ...stopped, reason: "out-of-time" } : stopped;
}
