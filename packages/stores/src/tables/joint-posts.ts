/** Posts that claim their session, and start its turn, in one transaction. */
import type { Claim, Posted, PostedStart, PostOptions } from "@capstan/log";
import type { PostTexts } from "../text/entry-text.ts";
import type { LeaseRows } from "./lease-rows.ts";
import type { SessionRows } from "./session-rows.ts";

interface Rows {
  readonly sessions: SessionRows;
  readonly leases: LeaseRows;
}

/** Call it within a transaction. */
export function postJointly(
  { sessions, leases }: Rows,
  id: string,
  { entry, started }: PostTexts,
  options: PostOptions,
  now: number,
): Posted {
  const posted = sessions.post(id, entry, options);
  const { claim: terms, start } = options;
  if (terms === undefined || !posted.isNew) return posted;
  const claim = leases.acquire(id, terms.owner, terms.ttlMs, now);
  if (claim === undefined) return posted;
  if (start === undefined || !mayStart(start, claim, posted)) return { ...posted, claim };
  const { lease } = claim;
  const { head } = start;
  const { lastSeq } = sessions.append(id, started, { lease, head }, now);
  return { ...posted, claim: { lease, lastSeq, head }, isStarted: true };
}

function mayStart({ onlyIfSeq }: PostedStart, { head }: Claim, { seq }: Posted): boolean {
  return seq === onlyIfSeq + 1 && head.setAside === undefined;
}
