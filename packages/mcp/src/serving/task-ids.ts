/** Ids of tasks: each names a session and the input whose turn works on the task. */
import type { Session } from "@capstan/core";
import type { WireResult } from "./call-results.ts";

const pollIntervalMs = 1_000;
const mark = "~";

/** Has the time of the call in it, so that the task has no state besides the log. */
export function newTurnId(): string {
  return `${Date.now().toString(36)}-${crypto.randomUUID().slice(0, 18)}`;
}

/** The result of a call that became a task. */
export async function toTask(session: Session, turnId: string): Promise<WireResult> {
  const about = await describeTask(session, turnId);
  // The SDK wants content, and passes on what it does not know.
  return { ...about, resultType: "task", status: "working", content: [] };
}

export function readTaskId(
  taskId: unknown,
): { readonly sessionId: string; readonly turnId: string } | undefined {
  const [sessionId = "", turnId = "", ...rest] =
    typeof taskId === "string" ? taskId.split(mark) : [];
  return sessionId === "" || turnId === "" || rest.length > 0 ? undefined : { sessionId, turnId };
}

/** Fields that a task has in every state. */
export async function describeTask(session: Session, turnId: string): Promise<WireResult> {
  const last = await session.readPage({
    after: Math.max(0, session.lastSeq - 1),
    maxEntries: 1,
    maxChars: Infinity,
  });
  const updatedAt = last.entries.at(-1)?.at ?? 0;
  // The turn may be one that another program has started, with an id of its own.
  const createdAt = timeIn(turnId) ?? updatedAt;
  return {
    taskId: `${session.id}${mark}${turnId}`,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(Math.max(createdAt, updatedAt)).toISOString(),
    // As long as the session is stored.
    ttlMs: null,
    pollIntervalMs,
  };
}

const aDay = 86_400_000;

/** Undefined if the id was not made by `newTurnId`. */
function timeIn(turnId: string): number | undefined {
  const time = /^[0-9a-z]{8,9}-/.test(turnId) ? Number.parseInt(turnId, 36) : Number.NaN;
  return time > 0 && time < Date.now() + aDay ? time : undefined;
}
