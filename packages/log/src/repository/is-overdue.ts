/** Whether there is still time to answer a call. */
import type { PendingCall } from "@capstan/kernel";

/** Returns whether the deadline of a pending call has passed. */
export function isOverdue({ deadlineAt }: PendingCall, now: number): boolean {
  return deadlineAt !== undefined && deadlineAt <= now;
}
