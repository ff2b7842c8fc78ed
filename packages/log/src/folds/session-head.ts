/** Head of a session, stored beside its log: lists and hosts that look for work read nothing else. */
import type { Draft } from "../entries/draft.ts";
import type { EntryOf } from "../entries/entries.ts";
import type { SessionAtRest, TurnEnd } from "./next-action.ts";
import { actionAtRest } from "./next-action.ts";
import type { SessionHead, SessionStatus } from "../repository/repository.ts";

interface SummedUp extends SessionAtRest {
  readonly seq: number;
  readonly agent: string;
  readonly created: EntryOf<"created"> | undefined;
  readonly checkpointSeq: number | undefined;
  readonly title: string | undefined;
}

/** Head of a session with this status; `end` is how its last turn ended, or is about to end. */
export function headOf(
  session: SummedUp,
  status: SessionStatus,
  end: TurnEnd | undefined,
  now: number,
  isUnreported = false,
): SessionHead {
  const { created, title, agent } = session;
  const head: Draft<SessionHead> = { status, agent, seen: session.seq, updatedAt: now };
  const incarnation = created?.incarnation;
  if (incarnation !== undefined) head.incarnation = incarnation;
  const principal = created?.principal;
  if (principal !== undefined) head.principal = principal;
  if (title !== undefined) head.title = title;
  const { checkpointSeq } = session;
  if (checkpointSeq !== undefined) head.checkpoint = checkpointSeq;
  // A running session is due as soon as no process holds its lease.
  if (status === "running") return head;
  const action = actionAtRest(session, end, now);
  // A session that should continue by itself is due immediately, if its owner is gone; and so is a child until it has reported.
  const wakeAt = action.type === "none" && !isUnreported ? action.wakeAt : 0;
  if (wakeAt !== undefined) head.wakeAt = wakeAt;
  return head;
}

/** Status of a session by how its last turn ended: an aborted turn counts as completed. */
export function statusAfter(end: TurnEnd): SessionStatus {
  if (end.pending !== undefined) return "awaiting_tool_execution";
  return end.finishReason === "error" ? "error" : "completed";
}
