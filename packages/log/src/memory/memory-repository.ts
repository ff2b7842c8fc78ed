/** Sessions in memory: for tests, for a single process, for data that need not last. Every method answers synchronously. */
import type { NewEntry, PostedEntry } from "../entries/entries.ts";
import { isDue } from "../repository/is-due.ts";
import { MemoryLease } from "./memory-lease.ts";
import { MemoryListing } from "./memory-listing.ts";
import { MemorySession } from "./memory-session.ts";
import { ReleasingMap } from "../repository/releasing-map.ts";
import { sessionExists, sessionGone, sessionNotFound } from "../repository/repository-failures.ts";
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  DueQuery,
  Lease,
  ListQuery,
  LiveFrame,
  Posted,
  PostOptions,
  ReadOptions,
  ReadPage,
  SessionHead,
  SessionPage,
  SessionRepository,
  WriteOptions,
} from "../repository/repository.ts";
import { Wakeups } from "../repository/wakeups.ts";

const noOptions: PostOptions = {};

/** Options of `memoryRepository`. */
export interface MemoryRepositoryOptions {
  /** The store's clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/** A synchronous repository: nothing returns a promise, and failures are thrown. */
export interface MemoryRepository extends SessionRepository {
  create(id: string, entries: readonly NewEntry[], head: SessionHead): void;
  append(id: string, entries: readonly NewEntry[], options: AppendOptions): Appended;
  post(id: string, entry: PostedEntry, options?: PostOptions): Posted;
  read(id: string, options?: ReadOptions): ReadPage;
  list(query?: ListQuery): SessionPage;
  delete(id: string): void;
  acquire(id: string, owner: string, ttlMs: number): Claim | undefined;
  renew(lease: Lease, ttlMs: number): void;
  release(lease: Lease): { readonly lastSeq: number };
  claimDue(query: DueQuery): readonly Claim[];
  putBlob(id: string, bytes: Uint8Array, options?: WriteOptions): string;
  getBlob(id: string, ref: string, range?: ByteRange): Uint8Array | undefined;
  sendLive(lease: Lease, frame: LiveFrame): void;
}

/**
 * Creates a store in memory, for tests and for sessions that end with the process. Entries and heads are immutable
 * values: they are stored and returned by reference, not copied, so that an append costs the same however long the
 * log and however large the entry. Blobs are copied, because writers reuse byte arrays.
 */
export function memoryRepository({
  now = () => Date.now(),
}: MemoryRepositoryOptions = {}): MemoryRepository {
  const sessions = new ReleasingMap<string, MemorySession>();
  const listing = new MemoryListing(sessions);
  const wakeups = new Wakeups();
  // Highest epoch of all deleted sessions: a session that is created again under an old id continues from it.
  let lastEpoch = 0;

  const find = (id: string): MemorySession => {
    const session = sessions.get(id);
    if (session !== undefined) return session;
    throw sessionNotFound(id);
  };

  const findMeant = (id: string, { incarnation }: WriteOptions = {}): MemorySession => {
    const session = find(id);
    if (incarnation === undefined || (session.incarnation ?? incarnation) === incarnation) {
      return session;
    }
    throw sessionGone(id);
  };

  return {
    create(id, entries, head) {
      if (sessions.has(id)) throw sessionExists(id);
      const session = new MemorySession(id, entries, head, new MemoryLease(id, lastEpoch));
      sessions.set(id, session);
      listing.invalidate();
      wakeups.changed(id, session.lastSeq, session.incarnation);
    },
    append(id, entries, options) {
      const appended = find(id).append(entries, options, now());
      if (appended.type === "conflict") return appended;
      listing.invalidate();
      if (entries.length > 0) wakeups.changed(id);
      return appended;
    },
    post(id, entry, options) {
      const session = findMeant(id, options);
      const at = now();
      const written = session.post(entry, options ?? noOptions, at);
      const posted = session.claimPosted(written, options?.claim, at);
      if (posted.isNew) wakeups.changed(id);
      if (posted.isStarted === true) listing.invalidate();
      return posted;
    },
    read: (id, options) => find(id).read(options),
    list: (query = {}) => listing.page(query),
    delete(id) {
      const session = sessions.get(id);
      if (session === undefined) return;
      lastEpoch = Math.max(lastEpoch, session.lease.epoch);
      sessions.delete(id);
      listing.invalidate();
      // Followers read the session, and find that it is gone.
      wakeups.changed(id);
    },

    acquire(id, owner, ttlMs) {
      return find(id).acquire(owner, now(), ttlMs);
    },
    renew(lease, ttlMs) {
      find(lease.sessionId).lease.extend(lease, now() + ttlMs);
    },
    release(lease) {
      const session = find(lease.sessionId);
      const at = now();
      session.lease.check(lease, at);
      session.lease.end(at);
      return { lastSeq: session.lastSeq };
    },
    claimDue({ agents, owner, ttlMs, limit = 10 }) {
      const at = now();
      const isWanted = (session: MemorySession): boolean =>
        agents.includes(session.head.agent) && isDue(session, at);
      const due = [...sessions.values().filter(isWanted)];
      due.sort((a, b) => a.lease.lastOwned - b.lease.lastOwned);
      return due.slice(0, limit).map((session) => session.claim(owner, at, ttlMs));
    },

    putBlob: (id, bytes, options) => findMeant(id, options).putBlob(bytes),
    getBlob: (id, ref, range) => sessions.get(id)?.getBlob(ref, range),

    subscribe: (id, listener, options) => wakeups.subscribe(id, listener, options),
    sendLive(lease, frame) {
      const session = sessions.get(lease.sessionId);
      if (session === undefined) return;
      // Readers go by the frame's own epoch, so it must not be older either.
      if (Math.min(lease.epoch, frame.epoch) < session.lease.epoch) return;
      wakeups.live(lease.sessionId, frame);
    },
  };
}
