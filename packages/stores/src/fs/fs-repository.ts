/** Sessions in a folder, each with a log of JSON lines. */
import { join } from "node:path";
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  ClaimTerms,
  DueQuery,
  Lease,
  ListQuery,
  LiveFrame,
  MaybePromise,
  NewEntry,
  Posted,
  PostedEntry,
  PostOptions,
  ReadOptions,
  ReadPage,
  SessionHead,
  SessionPage,
  SubscribeOptions,
  Wakeup,
  WriteOptions,
} from "@capstan/log";
import {
  andThen,
  orElse,
  incarnationOf,
  isDue,
  isPromise,
  isRepositoryError,
  listPage,
  newestFirst,
  sessionGone,
  sessionNotFound,
} from "@capstan/log";
import { toEntryTexts, toPostTexts } from "../text/entry-text.ts";
import { LocalWatch } from "../watch/local-watch.ts";
import type { StoreHandle } from "../handle/store-handle.ts";
import { getBlob, putBlob } from "./blob-files.ts";
import { closedStore } from "../handle/closed-store.ts";
import { DeletedEpochs } from "./deleted-epochs.ts";
import { FileLocks } from "./file-lock.ts";
import { isMissing, toRepositoryError } from "./fs-failure.ts";
import { layoutOf } from "./layout.ts";
import type { LogFile, LogWrite } from "./log-file.ts";
import { NoteFile } from "./note-file.ts";
import { openFolder } from "./open-folder.ts";
import { SessionFolders } from "./session-folders.ts";
import type { SessionState } from "./session-state.ts";
import { dueFactsOf } from "./session-state.ts";
import type { LeaseTerms } from "./session-writes.ts";
import {
  appendTo,
  endLease,
  extendLease,
  giveLease,
  isHeldByAnother,
  postTo,
} from "./session-writes.ts";

/** Options of `fs`. */
export interface FsOptions {
  /**
   * `normal`, the default: acknowledged writes survive the death of every process; the most recent ones may be lost in a power failure.
   * `full`: they survive that too, and every write waits for the disk.
   */
  readonly durability?: "normal" | "full";
  /** How long to wait for a lock that another process holds. Default 5,000. */
  readonly busyMs?: number;
  /** The store's clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/** Longer logs are read in pages, so that no caller waits for all of it. */
const maxPage = 1_000;

export class FsRepository implements StoreHandle {
  readonly #root: string;
  readonly #isSynced: boolean;
  readonly #now: () => number;
  readonly #locks: FileLocks;
  readonly #folders: SessionFolders;
  readonly #epochs: DeletedEpochs;
  readonly #watch: LocalWatch;
  #isClosed = false;

  constructor(root: string, { durability = "normal", busyMs = 5_000, now }: FsOptions) {
    this.#root = root;
    this.#isSynced = durability === "full";
    this.#now = now ?? (() => Date.now());
    const layout = layoutOf(root);
    openFolder(layout);
    this.#locks = new FileLocks({ processes: layout.processes, busyMs });
    this.#folders = new SessionFolders(layout.sessions, this.#isSynced);
    this.#epochs = new DeletedEpochs(layout.epochs, this.#locks);
    const notes = new NoteFile(layout.notes);
    this.#watch = new LocalWatch({
      start: () => notes.start(),
      // Reading the state costs no more than checking for news.
      hasNews: () => true,
      stateOf: (id) => this.#folders.state(id),
      epochOf: (id) => this.#folders.state(id)?.epoch,
      send: (sent) => notes.send(sent),
      receive: () => notes.receive(),
    });
  }

  create(id: string, entries: readonly NewEntry[], head: SessionHead): void {
    const texts = toEntryTexts(id, entries);
    const [first] = entries;
    const identity = first === undefined ? {} : { incarnation: incarnationOf(first) };
    const lastSeq = texts.length;
    const state: SessionState = { id, ...identity, lastSeq, lastPosted: 0, epoch: 0, head };
    this.#guardStore(id, () => this.#folders.create(state, texts));
    this.#watch.wrote(id, lastSeq, true, identity.incarnation);
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions): MaybePromise<Appended> {
    const texts = toEntryTexts(id, entries);
    const written = this.#write(id, (state, log) =>
      appendTo(log, state, { texts, options }, this.#now()),
    );
    return andThen(written, (appended) => {
      const isAtOnce = !isPromise(written);
      if (appended.type === "appended" && texts.length > 0)
        this.#watch.wrote(id, appended.lastSeq, isAtOnce);
      return appended;
    });
  }

  post(id: string, entry: PostedEntry, options: PostOptions = {}): MaybePromise<Posted> {
    const texts = toPostTexts(id, entry, options);
    const { claim, start } = options;
    const written = this.#write(id, (state, log) => {
      checkMeant(log, id, options);
      return postTo(log, state, { ...texts, start }, claim && this.#toTerms(claim));
    });
    return andThen(written, (posted) => {
      const { isNew, seq, claim: given } = posted;
      if (isNew) this.#watch.wrote(id, given?.lastSeq ?? seq, !isPromise(written));
      return posted;
    });
  }

  read(id: string, options: ReadOptions = {}): MaybePromise<ReadPage> {
    const readNow = (): ReadPage => this.#readNow(id, options);
    return this.#guard(id, () =>
      orElse(readNow, (thrown) => {
        if (isMissing(thrown)) throw thrown;
        // A writer may have cut off a tail while we read it. That cannot happen under the lock.
        return this.#locks.hold(this.#lockOf(id), () => {
          this.#folders.forget(id);
          return readNow();
        });
      }),
    );
  }

  list(query: ListQuery = {}): SessionPage {
    return this.#guardStore("", () => listPage(newestFirst(this.#folders.states()), query));
  }

  delete(id: string): MaybePromise<void> {
    const remove = (): MaybePromise<boolean> =>
      this.#locks.hold(this.#lockOf(id), () => {
        // Stored before the session is removed, so that a new session under this id finds it.
        const added = this.#epochs.add(this.#folders.log(id).refresh().epoch);
        return andThen(added, () => {
          this.#folders.remove(id);
          return true;
        });
      });
    const removed = orElse(
      () => this.#guard(id, remove),
      (thrown) => {
        if (!isNotFound(thrown)) throw thrown;
        return false;
      },
    );
    return andThen(removed, (isRemoved) => {
      // Followers read, and find that the session is gone.
      if (isRemoved) this.#watch.wrote(id, undefined, !isPromise(removed));
    });
  }

  acquire(id: string, owner: string, ttlMs: number): MaybePromise<Claim | undefined> {
    const isFree = (state: SessionState): boolean => !isHeldByAnother(state, owner, this.#now());
    return this.#claim(id, isFree, owner, ttlMs);
  }

  renew(lease: Lease, ttlMs: number): MaybePromise<void> {
    return this.#write(lease.sessionId, (state) => extendLease(state, lease, this.#now(), ttlMs));
  }

  release(lease: Lease): MaybePromise<{ readonly lastSeq: number }> {
    return this.#write(lease.sessionId, (state) => endLease(state, lease, this.#now()));
  }

  claimDue({ agents, owner, ttlMs, limit = 10 }: DueQuery): MaybePromise<Claim[]> {
    const isWanted = (state: SessionState): boolean =>
      agents.includes(state.head.agent) && isDue(dueFactsOf(state), this.#now());
    const claims: Claim[] = [];
    const due = this.#guardStore("", () => this.#folders.states().filter(isWanted));
    const line = due.toSorted(byLine).values();
    const claimNext = (): MaybePromise<Claim[]> => {
      for (const { id } of line) {
        const claim = this.#tryClaim(id, isWanted, owner, ttlMs);
        if (isPromise(claim)) return claim.then((later) => take(later) ?? claimNext());
        if (take(claim) !== undefined) break;
      }
      return claims;
    };
    /** Returns all claims once there are enough. */
    const take = (claim: Claim | undefined): Claim[] | undefined => {
      if (claim !== undefined) claims.push(claim);
      return claims.length >= limit ? claims : undefined;
    };
    return limit > 0 ? claimNext() : claims;
  }

  putBlob(id: string, bytes: Uint8Array, options: WriteOptions = {}): MaybePromise<string> {
    // Copied if written later: the caller may reuse its buffer.
    const kept = options.incarnation === undefined ? bytes : new Uint8Array(bytes);
    const put = (): string => putBlob(this.#folders.pathOf(id), kept, this.#isSynced);
    if (options.incarnation === undefined) return this.#guard(id, put);
    return this.#guard(id, () =>
      this.#locks.hold(this.#lockOf(id), () => {
        const log = this.#folders.log(id);
        log.refresh();
        checkMeant(log, id, options);
        return put();
      }),
    );
  }

  getBlob(id: string, ref: string, range?: ByteRange): MaybePromise<Uint8Array | undefined> {
    return this.#guard(id, () => getBlob(this.#folders.pathOf(id), ref, range));
  }

  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    options?: SubscribeOptions,
  ): () => void {
    return this.#watch.subscribe(id, listener, options);
  }

  sendLive(lease: Lease, frame: LiveFrame): void {
    this.#watch.sendLive(lease, frame);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    this.#locks.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #readNow(id: string, { after = 0, limit = maxPage, fromCheckpoint }: ReadOptions): ReadPage {
    const log = this.#folders.log(id);
    const { lastSeq, head } = log.refresh();
    const isFrom = fromCheckpoint === true && after === 0 && head.checkpoint !== undefined;
    const from = isFrom ? head.checkpoint - 1 : after;
    const entries = log.entries(from, Math.min(limit, maxPage));
    return { entries, lastSeq, incarnation: log.incarnation };
  }

  /** Undefined if the session was deleted since it was found due, or if another process is writing to it: the others do not wait for it. */
  #tryClaim(
    id: string,
    isWanted: (state: SessionState) => boolean,
    owner: string,
    ttlMs: number,
  ): MaybePromise<Claim | undefined> {
    if (this.#guardStore(id, () => this.#locks.isHeld(this.#lockOf(id)))) return undefined;
    return orElse(
      () => this.#claim(id, isWanted, owner, ttlMs),
      (thrown) => {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      },
    );
  }

  #claim(
    id: string,
    isWanted: (state: SessionState) => boolean,
    owner: string,
    ttlMs: number,
  ): MaybePromise<Claim | undefined> {
    return this.#write(id, (state): LogWrite<Claim | undefined> => {
      if (!isWanted(state)) return { result: undefined };
      return giveLease(state, this.#toTerms({ owner, ttlMs }));
    });
  }

  #toTerms({ owner, ttlMs }: ClaimTerms): LeaseTerms {
    const now = this.#now();
    return { owner, now, expiresAt: now + ttlMs, lastEpoch: this.#epochs.last() };
  }

  #write<Result>(
    id: string,
    decide: (state: SessionState, log: LogFile) => LogWrite<Result>,
  ): MaybePromise<Result> {
    return this.#guard(id, () =>
      this.#locks.hold(this.#lockOf(id), () => {
        const log = this.#folders.log(id);
        return log.write(this.#isSynced, (state) => decide(state, log));
      }),
    );
  }

  #lockOf(id: string): string {
    return join(this.#folders.pathOf(id), "lock");
  }

  /** A missing file means that the session's folder does not exist. */
  #guard<T>(id: string, run: () => MaybePromise<T>): MaybePromise<T> {
    if (this.#isClosed) throw closedStore(this.#root, id);
    return orElse(run, (thrown) => {
      const failure = isMissing(thrown) ? sessionNotFound(id) : thrown;
      throw toRepositoryError(failure, this.#root, id);
    });
  }

  #guardStore<T>(id: string, run: () => T): T {
    if (this.#isClosed) throw closedStore(this.#root, id);
    try {
      return run();
    } catch (thrown) {
      throw toRepositoryError(thrown, this.#root, id);
    }
  }
}

/** Fails with `not_found` if the write is meant for another session of the same id. */
function checkMeant(log: LogFile, id: string, { incarnation }: WriteOptions): void {
  if (incarnation === undefined || (log.incarnation ?? incarnation) === incarnation) return;
  throw sessionGone(id);
}

/** Least recently owned first. */
function byLine(a: SessionState, b: SessionState): number {
  return (a.lastOwned ?? 0) - (b.lastOwned ?? 0);
}

function isNotFound(thrown: unknown): boolean {
  return isRepositoryError(thrown) && thrown.code === "not_found";
}
