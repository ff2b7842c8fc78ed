/** Finds sessions in the store: all of a folder, the newest, or one by its id. */
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

/** A session as its log has it, before anybody works on it. */
export interface StoredSession {
  readonly id: string;
  readonly listed: ListedSession;
  readonly entries: readonly StoredEntry[];
  readonly fold: SessionFold;
  /** Of the last event. */
  readonly cursor: Cursor;
}

/** Newest first; of one folder, or of all. */
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
    `There is no session of ${folder} to go on with: begin one with capstan "<prompt>", or see capstan sessions --all.`,
  );
}

/** By its id, or by the beginning of it if that is of one session only. Throws a `CommandError`. */
export async function findById(store: SessionRepository, id: string): Promise<ListedSession> {
  const found: ListedSession[] = [];
  for await (const session of listSessions(store)) {
    if (session.id === id) return session;
    if (id !== "" && session.id.startsWith(id)) found.push(session);
  }
  const [first, second] = found;
  if (first === undefined) {
    throw wrongUse(`There is no session "${id}": see capstan sessions --all for those that are.`);
  }
  if (second === undefined) return first;
  const ids = found.slice(0, 3).map((session) => session.id);
  throw wrongUse(
    `"${id}" is the beginning of ${found.length} ids, as ${ids.join(", ")}: write more.`,
  );
}

/** The whole of it. Throws a `LogError` for a log that cannot be read. */
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

/** A session to look at: what is readable of it, if it is damaged. */
export interface ReadableSession extends Omit<StoredSession, "cursor"> {
  /** Empty if it is not. */
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

/** Whether another process works on it now. */
export async function isHeldElsewhere(store: SessionRepository, id: string): Promise<boolean> {
  const claim = await store.acquire(id, `look-${id}`, 1_000);
  if (claim === undefined) return true;
  await store.release(claim.lease);
  return false;
}
