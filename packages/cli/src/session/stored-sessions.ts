/** Finds sessions in the store: all of a folder, the newest one, or one by its id. */
import type {
  Cursor,
  ListedSession,
  LostEntry,
  SessionFold,
  SessionRepository,
  StoredEntry,
} from "@capstan/log";
import { EventFeed, LogError, salvageLog } from "@capstan/log";
import { wrongUse } from "../errors/command-error.ts";

/** A session as stored in its log, before any process works on it. */
export interface StoredSession {
  readonly id: string;
  readonly listed: ListedSession;
  readonly entries: readonly StoredEntry[];
  readonly fold: SessionFold;
  /** Cursor of the last event. */
  readonly cursor: Cursor;
}

/** Newest first; of one folder, or of all folders. */
export async function* listSessions(
  store: SessionRepository,
  folder?: string,
): AsyncGenerator<ListedSession> {
  for (let after: string | undefined; ;) {
    const page = await store.list({
      limit: 200,
      ...(folder !== undefined && { principal: folder }),
      ...(after !== undefined && { after }),
    });
    yield* page.sessions;
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** Throws a `CommandError` if there is none. */
export async function findNewest(store: SessionRepository, folder: string): Promise<ListedSession> {
  const { sessions } = await store.list({ principal: folder, limit: 1 });
  const [newest] = sessions;
  if (newest !== undefined) return newest;
  throw wrongUse(
    `No session to resume in ${folder}: start one with capstan "<prompt>", or see capstan sessions --all.`,
  );
}

/** Finds a session by its id, or by a prefix that only one session has. Throws a `CommandError`. */
export async function findById(store: SessionRepository, id: string): Promise<ListedSession> {
  const found: ListedSession[] = [];
  for await (const session of listSessions(store)) {
    if (session.id === id) return session;
    if (id !== "" && session.id.startsWith(id)) found.push(session);
  }
  const [first, second] = found;
  if (first === undefined) {
    throw wrongUse(`Unknown session "${id}": see capstan sessions --all.`);
  }
  if (second === undefined) return first;
  const ids = found.slice(0, 3).map((session) => session.id);
  throw wrongUse(
    `"${id}" matches ${found.length} sessions, such as ${ids.join(", ")}: use a longer prefix.`,
  );
}

/** Reads the whole session. Throws a `LogError` if the log is damaged. */
export async function readStored(
  store: SessionRepository,
  listed: ListedSession,
): Promise<StoredSession> {
  const { id } = listed;
  const entries: StoredEntry[] = [];
  for (;;) {
    const page = await store.read(id, { after: entries.at(-1)?.seq ?? 0 });
    entries.push(...page.entries);
    if (page.entries.length === 0 || (entries.at(-1)?.seq ?? 0) >= page.lastSeq) break;
  }
  const feed = new EventFeed(id);
  feed.takeStored(entries);
  return { id, listed, entries, fold: feed.fold, cursor: feed.cursor };
}

/** A session for display: if it is damaged, its readable part. */
export interface ReadableSession extends Omit<StoredSession, "cursor"> {
  /** Empty if the session is not damaged. */
  readonly lost: readonly LostEntry[];
}

export async function readReadable(
  store: SessionRepository,
  listed: ListedSession,
): Promise<ReadableSession> {
  try {
    return { ...(await readStored(store, listed)), lost: [] };
  } catch (thrown) {
    if (!(thrown instanceof LogError)) throw thrown;
    return { id: listed.id, listed, ...(await salvageLog(store, listed.id)) };
  }
}

/** True if another process is working on it now. */
export async function isHeldElsewhere(store: SessionRepository, id: string): Promise<boolean> {
  const claim = await store.acquire(id, `look-${id}`, 1_000);
  if (claim === undefined) return true;
  await store.release(claim.lease);
  return false;
}
