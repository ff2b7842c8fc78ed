/** A copy of a session, made without opening it: whoever works on it is not disturbed, and what is unfinished in it stays there. */
import type { SessionRepository } from "@capstan/log";
import { createCopy, foldNew, forkLog, readBlobs } from "@capstan/log";
import { failed } from "../errors/command-error.ts";
import type { StoredSession } from "./stored-sessions.ts";

/** Stores it under this id. */
export async function forkStored(
  store: SessionRepository,
  { id: sessionId, entries }: StoredSession,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<void> {
  const forked = forkLog(entries, { sessionId, now, incarnation: id });
  if (forked === undefined) throw failed(`Session ${sessionId} has nothing to be copied yet.`);
  const blobs = readBlobs(store, sessionId, forked);
  await createCopy(store, { id, entries: forked, head: foldNew(forked).head(now), blobs });
}
