/** Posts of one session into the log of another: tasks, answers and cancels for a child, reports for a parent. */
import type { Answered, PendingCall } from "@capstan/kernel";
import type { PostedBody, WriteOptions } from "@capstan/log";
import { entryVersion, isRepositoryError } from "@capstan/log";
import type { SessionHost } from "../session/session-host.ts";

/** Posts without reading the other log. Returns the seq of the entry; undefined if there is no such session. */
export async function postTo(
  { repository, clock }: SessionHost,
  sessionId: string,
  id: string,
  body: PostedBody,
  options: WriteOptions = {},
): Promise<number | undefined> {
  try {
    const entry = { v: entryVersion, id, at: clock.now(), ...body };
    const { seq } = await repository.post(sessionId, entry, options);
    return seq;
  } catch (thrown) {
    if (isRepositoryError(thrown) && thrown.code === "not_found") return undefined;
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
  const seq = await postTo(host, childId, `${taskId}-cancel`, body);
  if (seq !== undefined) host.lookForWork(childId, seq);
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
