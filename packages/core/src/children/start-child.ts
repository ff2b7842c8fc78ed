/** Starts the child session of a call: records it, creates the child, and gives it its task. Repeating any of this has no further effect. */
import type { BudgetSlice, Child, MaybePromise, OwnedBody } from "@capstan/log";
import type { SessionLog } from "../owner/session-log.ts";
import { defaultMaxChildren, defaultMaxDepth } from "../platform/limits.ts";
import type { FollowedSession, SessionHost, SessionOrigin } from "../session/session-host.ts";
import type { ChildCall } from "../tools/other-agents.ts";
import { isUsedUp, sliceFor } from "./budget-slices.ts";
import { childIdOf, taskIdOf } from "./child-ids.ts";
import type { ChildStarts } from "./child-starts.ts";

/** The entry that records the start of a child. */
export type ChildStart = Extract<OwnedBody, { readonly type: "child_started" }>;

export interface ParentSession {
  readonly host: SessionHost;
  readonly log: SessionLog;
  /** Appends as the owner of the session. */
  append(bodies: readonly OwnedBody[]): MaybePromise<unknown>;
}

/**
 * Records the start, unless it is recorded, and gives the child its task. The caller must release the session. Resolves with the reason if there
 * can be no such child.
 */
export async function startChild(
  parent: ParentSession,
  call: ChildCall,
  starts: ChildStarts,
): Promise<FollowedSession | string> {
  const { toolCallId } = call.context;
  const known = parent.log.fold.children.find(toolCallId);
  if (known !== undefined) {
    const opened = await parent.host.openChild(known.childId, originOf(parent, call));
    return giveTask(opened, call, known);
  }
  const start = startOf(parent, call, starts);
  if (typeof start === "string") return start;
  const record = starts.expect(start);
  const opened = await parent.host.openChild(start.childId, originOf(parent, call), {
    record,
    isNew: call.memory === "call",
  });
  return giveTask(opened, call, start);
}

/** The entry to record, or why there can be no such child. */
function startOf(
  { host, log }: ParentSession,
  call: ChildCall,
  starts: ChildStarts,
): ChildStart | string {
  const { toolCallId } = call.context;
  const { children } = log.fold;
  if (depthOf(log) > defaultMaxDepth) {
    return `Not started: agents may be nested ${defaultMaxDepth} deep at most.`;
  }
  if (children.all.length + starts.expectedCount >= defaultMaxChildren) {
    return `Not started: this session has ${defaultMaxChildren} children, the most that are allowed.`;
  }
  const childId = childIdOf({
    sessionId: log.id,
    incarnation: log.incarnation,
    toolCallId,
    toolName: call.toolName,
    memory: call.memory,
  });
  if (children.isOpenInBackground(childId)) {
    return `Not started: child ${childId} still works on an earlier task. Wait for its answer, or stop it.`;
  }
  const budget = sliceFor(log.fold, host.agent(log.fold.agent), call.agent, log.now());
  if (budget !== undefined && isUsedUp(budget)) {
    return "Not started: the budget of this turn is used up.";
  }
  return toStart(call, childId, budget);
}

function toStart(
  { agent: { name: agent }, context: { turnId, toolCallId }, background }: ChildCall,
  childId: string,
  budget: BudgetSlice | undefined,
): ChildStart {
  const ids = { type: "child_started", turnId, toolCallId, childId, agent } as const;
  const start = budget === undefined ? ids : { ...ids, budget };
  if (background === undefined) return start;
  const { timeoutMs } = background;
  const hasLimit = Number.isFinite(timeoutMs);
  return { ...start, mode: "background", ...(hasLimit && { timeoutMs }) } as const;
}

/** Number of sessions above a child of this one. */
function depthOf({ fold }: SessionLog): number {
  return (fold.created?.parent?.depth ?? 0) + 1;
}

function originOf({ log }: ParentSession, call: ChildCall): SessionOrigin {
  const { session } = call.context;
  return {
    agent: call.agent.name,
    ...(session.principal !== undefined && { principal: session.principal }),
    ...(call.app !== undefined && { app: call.app }),
    parent: {
      sessionId: log.id,
      ...(log.incarnation !== undefined && { incarnation: log.incarnation }),
      agent: log.fold.agent,
      depth: depthOf(log),
    },
  };
}

async function giveTask(
  followed: FollowedSession,
  call: ChildCall,
  { childId, budget }: Pick<Child, "childId"> & Partial<Pick<Child, "budget">>,
): Promise<FollowedSession> {
  const { toolCallId, turn } = call.context;
  const id = taskIdOf(childId, toolCallId);
  try {
    await followed.runtime.post(id, {
      type: "input",
      messages: [{ role: "user", id, content: call.task }],
      call: toolCallId,
      ...(budget && { budget }),
      ...(turn.metadata !== undefined && { metadata: turn.metadata }),
      ...(call.app !== undefined && { app: call.app }),
    });
  } catch (thrown) {
    followed.release();
    throw thrown;
  }
  followed.runtime.wake();
  return followed;
}
