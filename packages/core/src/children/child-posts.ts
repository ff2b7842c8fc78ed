/** Posts of one session into the log of another: tasks, answers and cancels for a child, reports for a parent. */
import type { Answered, PendingCall } from "@capstan/kernel";
import type { PostedBody, Refusal, WriteOptions } from "@capstan/log";
import { entryVersion, isRepositoryError } from "@capstan/log";
import type { SessionRuntime } from "../host/session-runtime.ts";
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

/** Posts an answer where the call is pending. Returns why it was refused, if it was, and the runtime that has it. */
export async function answerChild(
  host: SessionHost,
  childId: string,
  id: string,
  body: PostedBody,
): Promise<{ readonly refusal: Refusal | undefined; readonly child: SessionRuntime }> {
  const child = await host.open(childId);
  await child.log.post(id, body);
  const refusal = child.log.fold.refusalOf(id);
  child.wake();
  return { refusal, child };
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
