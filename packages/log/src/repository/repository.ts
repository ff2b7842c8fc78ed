/** Contract of session stores: memory, files and databases; `storeContract` in the test kit states it as tests. */
import type { AgentEventBody } from "@capstan/kernel";
import { CapstanError, isCapstanError } from "@capstan/kernel";
import type { NewEntry, PostedEntry, StoredEntry } from "../entries/entries.ts";

/** Synchronous if the store can answer immediately. */
export type MaybePromise<T> = T | Promise<T>;

/** Status of a session, as lists show it. */
export type SessionStatus = "idle" | "running" | "awaiting_tool_execution" | "completed" | "error";

/** Small summary that is stored beside the log: `list` and `claimDue` read nothing else. */
export interface SessionHead {
  readonly status: SessionStatus;
  readonly agent: string;
  /** Copied from the `created` entry. Undefined if that has none. */
  readonly incarnation?: string;
  readonly principal?: string;
  readonly title?: string;
  /** Highest seq that was folded into this head: a later post makes the session due. */
  readonly seen: number;
  /** Time at which a host should look again, on the store's clock. */
  readonly wakeAt?: number;
  readonly updatedAt: number;
  /** Seq of the last entry with a checkpoint, from which `ReadOptions.fromCheckpoint` reads. */
  readonly checkpoint?: number;
  /** No host can continue the session, for this reason: it is not due, whatever is posted, until it is released. */
  readonly setAside?: { readonly reason: string; readonly at: number };
}

/** Time-limited right to append to one session. The epoch grows with each new owner and fences the old ones. */
export interface Lease {
  readonly sessionId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** A lease that was just given, with the state that its holder starts from. */
export interface Claim {
  readonly lease: Lease;
  readonly lastSeq: number;
  readonly head: SessionHead;
}

/** Options of `append`. A lease that is no longer held refuses the write as `fenced`. */
export interface AppendOptions {
  readonly lease: Lease;
  /** If undefined, the stored head stays. While a turn runs, readers need nothing from the head except that it runs. */
  readonly head?: SessionHead | undefined;
  /** Appends only if this is the last seq: for the append that ends a turn. */
  readonly onlyIfSeq?: number;
  /** Releases the lease in the same write. A store that cannot do that ignores it, and reports no `isReleased`. */
  readonly releases?: boolean;
}

/** `seqs` of the appended entries, consecutive and in order; or nothing was written, because the log has grown. */
export type Appended =
  | {
      readonly type: "appended";
      readonly seqs: readonly number[];
      readonly lastSeq: number;
      /** True if the lease was released, as requested. */
      readonly isReleased?: true;
    }
  | { readonly type: "conflict"; readonly lastSeq: number };

/** Identifies the session that a write is meant for, if its id may belong to another session by now. */
export interface WriteOptions {
  /** The write fails with `not_found` if the session has another incarnation. */
  readonly incarnation?: string | undefined;
}

/** Terms of a lease. */
export interface ClaimTerms {
  readonly owner: string;
  readonly ttlMs: number;
}

/** Entries of the owner that are to follow a post at once, and the head to store with them. */
export interface PostedStart {
  readonly entries: readonly NewEntry[];
  readonly head: SessionHead;
  /** Last seq that their writer has seen: the post is to be the next entry. */
  readonly onlyIfSeq: number;
}

/** Options of `post`; with `claim` the same write takes the lease, and with `start` it begins the work. */
export interface PostOptions extends WriteOptions {
  /** Acquires the lease in the same write, if the entry is new and no lease of another owner is live. A store that cannot do that ignores it. */
  readonly claim?: ClaimTerms | undefined;
  /**
   * Appends these entries under that lease and stores this head, in the same write: only if the lease is given, nothing but the post follows
   * `onlyIfSeq`, and the session is not set aside. Otherwise they are dropped, and the post and its claim happen without them. Fails with
   * `invalid_entry` like an append, and then nothing is posted either. A store that cannot do that ignores it, and reports no `isStarted`.
   */
  readonly start?: PostedStart | undefined;
}

/** `isNew` is false for an id that was posted before: `seq` is then that of the first post. */
export interface Posted {
  readonly seq: number;
  readonly isNew: boolean;
  /** The lease, if it was requested and given. Its `lastSeq` is `seq`, or that of the last entry of `start`; its head is the stored one. */
  readonly claim?: Claim;
  /** True if the entries of `start` were appended. They have the seqs after `seq`. */
  readonly isStarted?: true;
}

/** Range of the entries to read. */
export interface ReadOptions {
  /** Entries after this seq. Default 0: from the beginning. */
  readonly after?: number;
  /** Maximum number of entries. A store may return fewer; `lastSeq` shows whether there are more. */
  readonly limit?: number;
  /**
   * With `after: 0`: begins with the entry at the `checkpoint` of the stored head, if it has one. A store that cannot do that ignores it: the
   * first entry shows where the page begins.
   */
  readonly fromCheckpoint?: boolean;
}

/** Entries that were read, and the position of the last one that is stored. */
export interface ReadPage {
  readonly entries: readonly StoredEntry[];
  /** Last seq of the whole session. */
  readonly lastSeq: number;
  /** `incarnationOf` the session's first entry, read at the same moment. Undefined if the session began without one. */
  readonly incarnation?: string | undefined;
}

/** Filter and page of a list. */
export interface ListQuery {
  readonly agent?: string;
  readonly principal?: string;
  readonly status?: SessionStatus;
  /** Default 50. */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly after?: string;
}

/** A session of a list. */
export interface ListedSession {
  readonly id: string;
  readonly head: SessionHead;
  readonly lastSeq: number;
}

/** Newest first: by `updatedAt` and then by id, both descending. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Undefined on the last page. */
  readonly next?: string;
}

/** Query of a host for sessions to work on. */
export interface DueQuery {
  /** Only sessions of these agents. */
  readonly agents: readonly string[];
  readonly owner: string;
  readonly ttlMs: number;
  /** Default 10. */
  readonly limit?: number;
}

/** Range of a blob's bytes; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  /** Exclusive. Default: the end. */
  readonly end?: number;
}

/**
 * Live-only events on their way to readers in other processes: the events `from`, `from + 1` … after the entry `seq`. A `snapshot` event
 * replaces all before it.
 */
export interface LiveFrame {
  readonly epoch: number;
  /** Incarnation of the session, from its log. */
  readonly incarnation?: string;
  readonly seq: number;
  readonly from: number;
  readonly turnId: string;
  readonly events: readonly AgentEventBody[];
}

/**
 * `changed`: the session was created or deleted, or something was appended or posted. Read it, unless you have everything up to `lastSeq`
 * (if the store reports it) of the session with this `incarnation` (if the store reports it). Without an incarnation the session is still
 * the one that the store reported before. `followed`: a reader in another process wants live frames, starting with a snapshot.
 */
export type Wakeup =
  | {
      readonly type: "changed";
      readonly lastSeq?: number | undefined;
      readonly incarnation?: string | undefined;
    }
  | { readonly type: "live"; readonly frame: LiveFrame }
  | { readonly type: "followed" };

/** Options of `subscribe`. */
export interface SubscribeOptions {
  /** Whether to get live frames; the owner gets a `followed` wake-up, even if it subscribes later. */
  readonly isLive?: boolean;
}

/**
 * Every method may fail with a `RepositoryError`. `unavailable` is a failure of the store, after which it is unknown whether the write
 * happened: a turn under way waits for the store to recover. Any other error counts as a bug, and ends the turn. Entries are returned as
 * they were written, byte for byte as JSON, including unknown ones.
 */
export interface SessionRepository {
  /** Creates a session; its entries are numbered from 1. Fails with `exists`, `invalid_entry`. */
  create(id: string, entries: readonly NewEntry[], head: SessionHead): MaybePromise<void>;
  /**
   * Appends entries. For the holder of the lease only. Fails with `fenced` if a newer epoch was given, or the lease was released or has
   * expired; with `not_found`; with `invalid_entry` for an entry without an envelope or with an id that is taken, and then nothing is
   * written. Without entries only the head is refreshed, and `onlyIfSeq` still applies. An entry may have the `seq` that its writer
   * predicts; the one that the store assigns counts.
   */
  append(id: string, entries: readonly NewEntry[], options: AppendOptions): MaybePromise<Appended>;
  /** Posts an entry. For any process, once per entry id, including the owner's ids. Fails with `not_found`, `invalid_entry`. */
  post(id: string, entry: PostedEntry, options?: PostOptions): MaybePromise<Posted>;
  /** Fails with `not_found`. */
  read(id: string, options?: ReadOptions): MaybePromise<ReadPage>;
  list(query?: ListQuery): MaybePromise<SessionPage>;
  /**
   * Deletes a session with all its entries and blobs. Does nothing if there is none. An owner at work gets `not_found`, and `fenced` if the
   * id was created again: its epochs continue from the old ones.
   */
  delete(id: string): MaybePromise<void>;

  /** Returns undefined if another owner's lease is live. The same owner gets a new epoch as well. Fails with `not_found`. */
  acquire(id: string, owner: string, ttlMs: number): MaybePromise<Claim | undefined>;
  /**
   * Extends the lease to `ttlMs` from now, even if it has expired, unless another one was given since. Fails with `fenced` if one was, or
   * this one was released; with `not_found`.
   */
  renew(lease: Lease, ttlMs: number): MaybePromise<void>;
  /** Releases the lease; the last seq shows whether something was posted that its holder has not seen. Fails like `append`. */
  release(lease: Lease): MaybePromise<{ readonly lastSeq: number }>;
  /**
   * Returns leases of due sessions only: a session is given to one caller. Least recently owned first, by when its lease was last given or
   * released: a session that fails each time goes to the end of the line. Sessions that never had an owner come first.
   */
  claimDue(query: DueQuery): MaybePromise<readonly Claim[]>;
  /**
   * Milliseconds until a session of these agents becomes due by itself, for example when a lease expires; undefined if none will. A hint
   * that lets hosts look at that moment instead of at their next poll, for stores that can compute it cheaply.
   */
  nextDueInMs?(agents: readonly string[]): MaybePromise<number | undefined>;

  /** Stores a blob, before the entry that names it. The same bytes give the same ref, in every session. Fails with `not_found`. */
  putBlob(id: string, bytes: Uint8Array, options?: WriteOptions): MaybePromise<string>;
  /** Undefined if this session has no blob with this ref. */
  getBlob(id: string, ref: string, range?: ByteRange): MaybePromise<Uint8Array | undefined>;

  /**
   * Calls the listener with wake-ups, which are hints: one may be lost or duplicated, and several may be merged. Returns a function that
   * unsubscribes.
   */
  subscribe(id: string, listener: (wakeup: Wakeup) => void, options?: SubscribeOptions): () => void;
  /** Sends a frame to followers. A frame with an older epoch than the session's is dropped. Never fails. */
  sendLive?(lease: Lease, frame: LiveFrame): void;
}

/** Codes of a `RepositoryError`. */
export type RepositoryErrorCode =
  | "not_found"
  | "exists"
  | "fenced"
  | "invalid_entry"
  | "unavailable";

/** Failure of a store, with the session's id. */
export class RepositoryError extends CapstanError<RepositoryErrorCode> {
  override readonly name = "RepositoryError";
  readonly sessionId: string;

  constructor(
    code: RepositoryErrorCode,
    sessionId: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.sessionId = sessionId;
  }
}

/** Checks the name: a store may depend on its own copy of this package. */
export function isRepositoryError(thrown: unknown): thrown is RepositoryError {
  return isCapstanError(thrown) && thrown.name === "RepositoryError";
}
