/** Starts the child session of a call: records it, creates the child, and gives it its task. Repeating any of this has no further effect. */
import type { Child, MaybePromise, OwnedBody } from "@capstan/log";
import type { SessionLog } from "../owner/session-log.ts";
import { defaultMaxChildren, defaultMaxDepth } from "../platform/limits.ts";
import type { FollowedSession, SessionHost } from "../session/session-host.ts";
import type { ChildCall } from "../tools/other-agents.ts";
import { isUsedUp, sliceFor } from "./budget-slices.ts";
import { childIdOf, taskIdOf } from "./child-ids.ts";

export interface ParentSession {
  readonly host: SessionHost;
  readonly log: SessionLog;
  /** Appends as the owner of the session. */
  append(bodies: readonly OwnedBody[]): MaybePromise<unknown>;
}

/** Records the start, unless it is recorded. Returns why there can be no such child. */
export async function recordStart(
  { host, log, append }: ParentSession,
  call: ChildCall,
): Promise<string | undefined> {
  const { toolCallId, turnId } = call.context;
  const { children } = log.fold;
  if (children.find(toolCallId) !== undefined) return undefined;
  if (depthOf(log) > defaultMaxDepth) {
    return `Not started: agents may be nested ${defaultMaxDepth} deep at most.`;
  }
  if (children.all.length >= defaultMaxChildren) {
    return `Not started: this session has ${defaultMaxChildren} children, the most that are allowed.`;
  }
  const childId = childIdOf({
    sessionId: log.id,
    incarnation: log.incarnation,
    toolCallId,
    toolName: call.toolName,
    memory: call.memory,
  });
  const isBusy = children.all.some(
    (child) => child.childId === childId && child.isOpenInBackground,
  );
  if (isBusy) {
    return `Not started: child ${childId} still works on an earlier task. Wait for its answer, or stop it.`;
  }
  const budget = sliceFor(log.fold, host.agent(log.fold.agent), call.agent, log.now());
  if (budget !== undefined && isUsedUp(budget)) {
    return "Not started: the budget of this turn is used up.";
  }
  await append([{ ...toStarted(call, turnId, childId), ...(budget && { budget }) }]);
  return undefined;
}

type Started = Extract<OwnedBody, { readonly type: "child_started" }>;

function toStarted(
  { agent, context, background }: ChildCall,
  turnId: string,
  childId: string,
): Started {
  const { toolCallId } = context;
  const started = {
    type: "child_started",
    turnId,
    toolCallId,
    childId,
    agent: agent.name,
  } as const;
  if (background === undefined) return started;
  const { timeoutMs } = background;
  const hasLimit = Number.isFinite(timeoutMs);
  return { ...started, mode: "background", ...(hasLimit && { timeoutMs }) } as const;
}

/** Number of sessions above a child of this one. */
function depthOf({ fold }: SessionLog): number {
  return (fold.created?.parent?.depth ?? 0) + 1;
}

/** Gives the child its task. The caller must release the session. */
export async function giveTask(
  { host, log }: ParentSession,
  call: ChildCall,
  { childId, budget }: Pick<Child, "childId" | "budget">,
): Promise<FollowedSession> {
  const { toolCallId, session, turn } = call.context;
  const followed = await host.openChild(childId, {
    agent: call.agent.name,
    ...(session.principal !== undefined && { principal: session.principal }),
    ...(call.app !== undefined && { app: call.app }),
    parent: {
      sessionId: log.id,
      ...(log.incarnation !== undefined && { incarnation: log.incarnation }),
      agent: log.fold.agent,
      depth: depthOf(log),
    },
  });
  const id = taskIdOf(childId, toolCallId);
  try {
    await followed.runtime.log.post(id, {
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
