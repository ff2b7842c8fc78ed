/** A repository for applications that can load and save a session, and nothing else. */
import { isDue } from "../repository/is-due.ts";
import { listPage, newestFirst } from "../repository/list-page.ts";
import { sessionExists, sessionGone } from "../repository/repository-failures.ts";
import type { SessionRepository, WriteOptions } from "../repository/repository.ts";
import { Wakeups } from "../repository/wakeups.ts";
import { MemorySession } from "../memory/memory-session.ts";
import type { LoadAndSave } from "./hooks.ts";
import { LoadedSessions } from "./loaded-sessions.ts";

/** Options of `fromLoadAndSave`. */
export interface LoadAndSaveOptions {
  /** The store's clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Makes a repository of `load` and `save`: a key-value store, a column of a table, a file for each session, the storage of a browser.
 *
 * - **One process at a time.** Leases are kept in memory, and two processes would overwrite each other's sessions. After a crash the next process
 *   takes over at once.
 * - **The last finished write is durable**, as far as `save` makes it so. A failed `save` is a failed write, of which nothing is read here.
 * - **Each write saves the whole session**, so a long session costs more with every step. Sessions stay in memory once they were used; with `list`,
 *   all of them are loaded when sessions are first listed or a host first looks for work.
 */
export function fromLoadAndSave(
  hooks: LoadAndSave,
  { now = () => Date.now() }: LoadAndSaveOptions = {},
): SessionRepository {
  const sessions = new LoadedSessions(hooks);
  const wakeups = new Wakeups();

  const draftMeant = async (
    id: string,
    { incarnation }: WriteOptions = {},
  ): Promise<MemorySession> => {
    const draft = await sessions.draft(id);
    if (incarnation === undefined || (draft.incarnation ?? incarnation) === incarnation) {
      return draft;
    }
    throw sessionGone(id);
  };

  return {
    create: (id, entries, head) =>
      sessions.alone(id, async () => {
        if ((await sessions.findIfAny(id)) !== undefined) throw sessionExists(id);
        const session = new MemorySession(id, entries, head, sessions.newLease(id));
        await sessions.save(session, true);
        wakeups.changed(id, session.lastSeq, session.incarnation);
      }),
    append: (id, entries, options) =>
      sessions.alone(id, async () => {
        const draft = await sessions.draft(id);
        const { releases, ...rest } = options;
        const appended = draft.append(entries, rest, now());
        if (appended.type === "conflict") return appended;
        await sessions.save(draft);
        if (entries.length > 0) wakeups.changed(id);
        if (releases !== true) return appended;
        // Only now: a write that fails leaves the lease as it was.
        draft.lease.end(now());
        return { ...appended, isReleased: true };
      }),
    post: (id, entry, options) =>
      sessions.alone(id, async () => {
        const draft = await draftMeant(id, options);
        const posted = draft.post(entry, options ?? {}, now());
        if (!posted.isNew) return posted;
        await sessions.save(draft);
        wakeups.changed(id);
        // Only now: a write that fails leaves the lease as it was.
        return draft.claimPosted(posted, options?.claim, now());
      }),
    read: (id, options) => sessions.alone(id, async () => (await sessions.find(id)).read(options)),
    async list(query = {}) {
      const failure = await sessions.loadAll();
      if (failure !== undefined) throw failure;
      return listPage(newestFirst(sessions.loaded.values()), query);
    },
    delete: (id) =>
      sessions.alone(id, async () => {
        // Followers read the session, and find that it is gone.
        if (await sessions.delete(id)) wakeups.changed(id);
      }),

    acquire: (id, owner, ttlMs) =>
      sessions.alone(id, async () => {
        const session = await sessions.find(id);
        return session.acquire(owner, now(), ttlMs);
      }),
    renew: (lease, ttlMs) =>
      sessions.alone(lease.sessionId, async () => {
        (await sessions.find(lease.sessionId)).lease.extend(lease, now() + ttlMs);
      }),
    release: (lease) =>
      sessions.alone(lease.sessionId, async () => {
        const session = await sessions.find(lease.sessionId);
        const at = now();
        session.lease.check(lease, at);
        session.lease.end(at);
        return { lastSeq: session.lastSeq };
      }),
    async claimDue({ agents, owner, ttlMs, limit = 10 }) {
      const failure = await sessions.loadAll();
      const at = now();
      const isWanted = (session: MemorySession): boolean =>
        agents.includes(session.head.agent) && isDue(session, at) && !sessions.isSaving(session.id);
      const due = [...sessions.loaded.values()].filter(isWanted);
      if (due.length === 0 && failure !== undefined) throw failure;
      due.sort((a, b) => a.lease.lastOwned - b.lease.lastOwned);
      return due.slice(0, limit).map((session) => session.claim(owner, at, ttlMs));
    },

    putBlob: (id, bytes, options) =>
      sessions.alone(id, async () => {
        const draft = await draftMeant(id, options);
        const ref = draft.putBlob(bytes);
        await sessions.save(draft);
        return ref;
      }),
    getBlob: (id, ref, range) =>
      sessions.alone(id, async () => (await sessions.findIfAny(id))?.getBlob(ref, range)),

    subscribe: (id, listener, options) => wakeups.subscribe(id, listener, options),
    sendLive(lease, frame) {
      const session = sessions.loaded.get(lease.sessionId);
      if (session === undefined) return;
      // Readers go by the frame's own epoch, so it must not be older either.
      if (Math.min(lease.epoch, frame.epoch) < session.lease.epoch) return;
      wakeups.live(lease.sessionId, frame);
    },
  };
}
