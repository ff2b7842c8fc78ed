/** When a host should pick a session up. Stores that select in SQL implement the same rule; `storeContract` checks it. */
import type { SessionHead } from "./repository.ts";

/** Facts about a session that decide whether it is due. */
export interface DueFacts {
  readonly head: SessionHead;
  /** Seq of the last entry that was posted, not appended. 0 if there is none. */
  readonly lastPostedSeq: number;
  /** Time on the store's clock. Undefined if no process holds a lease. */
  readonly leaseExpiresAt: number | undefined;
}

/** True if no process works on the session, and there is something to do: a turn under way, a deadline that has passed, or an unseen post. */
export function isDue({ head, lastPostedSeq, leaseExpiresAt }: DueFacts, now: number): boolean {
  if (head.setAside !== undefined) return false;
  if (leaseExpiresAt !== undefined && now < leaseExpiresAt) return false;
  if (head.status === "running" || lastPostedSeq > head.seen) return true;
  return head.wakeAt !== undefined && head.wakeAt <= now;
}
