/** Copies a session without opening it: a process that works on it is not disturbed, and unfinished work stays with the original. */
import type { SessionRepository } from "@capstan/log";
import { createCopy, foldNew, forkLog, readBlobs } from "@capstan/log";
import { failed } from "../errors/command-error.ts";
import type { StoredSession } from "./stored-sessions.ts";

/** Stores the copy under this id. */
export async function forkStored(
  store: SessionRepository,
  { id: sessionId, entries }: StoredSession,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<void> {
  const forked = forkLog(entries, { sessionId, now, incarnation: id });
  if (forked === undefined) throw failed(`Session ${sessionId} has nothing to copy yet.`);
  const blobs = readBlobs(store, sessionId, forked);
  await createCopy(store, { id, entries: forked, head: foldNew(forked).head(now), blobs });
}
