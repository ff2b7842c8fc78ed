/** Posts of one session into the log of another: tasks, answers and cancels for a child, reports for a parent. */
import type { Answered, PendingCall } from "@capstan/kernel";
import type { PostedBody, WriteOptions } from "@capstan/log";
import { entryVersion, isRepositoryError } from "@capstan/log";
import type { SessionHost } from "../session/session-host.ts";

/** Posts without reading the other log. Returns false if there is no such session. */
export async function postTo(
  { repository, clock }: SessionHost,
  sessionId: string,
  id: string,
  body: PostedBody,
  options: WriteOptions = {},
): Promise<boolean> {
  try {
    await repository.post(sessionId, { v: entryVersion, id, at: clock.now(), ...body }, options);
    return true;
  } catch (thrown) {
    if (isRepositoryError(thrown) && thrown.code === "not_found") return false;
    throw thrown;
  }
}

/** Cancels what a child does for this call, in whichever process. */
export async function cancelTask(
  host: SessionHost,
  childId: string,
  taskId: string,
  reason: string,
): Promise<void> {
  const body = { type: "cancel_requested", turnId: taskId, reason } as const;
  if (await postTo(host, childId, `${taskId}-cancel`, body)) host.lookForWork(childId);
}

/** Session that a pending call belongs to, below this one. */
export function ownerOf(call: PendingCall): string | undefined {
  return call.via?.at(-1)?.sessionId;
}

/** Posts an answer where the call is pending. */
export async function answerChild(
  host: SessionHost,
  childId: string,
  id: string,
  body: PostedBody,
): Promise<void> {
  await host.use(childId, async (child) => {
    await child.log.post(id, body);
    child.wake();
  });
}

/** The answer to a question of a suspended call, as an entry for the session that asks. */
export function toAnswerEntry(answer: Answered, { hash }: PendingCall): PostedBody {
  const { toolCallId } = answer;
  if (answer.state === "settled") return { type: "answer", toolCallId, result: answer.result };
  const isApproved = answer.state === "approved";
  const reason = answer.state === "denied" ? answer.reason : undefined;
  return {
    type: "decision",
    toolCallId,
    hash,
    isApproved,
    ...(reason !== undefined && { reason }),
  };
}
