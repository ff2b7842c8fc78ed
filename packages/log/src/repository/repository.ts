/** Where sessions live. One contract for memory, files and databases; `storeContract` in the test kit states it as tests. */
import type { AgentEventBody } from "@capstan/kernel";
import { CapstanError, isCapstanError } from "@capstan/kernel";
import type { NewEntry, PostedEntry, StoredEntry } from "../entries/entries.ts";

/** At once where the store can. */
export type MaybePromise<T> = T | Promise<T>;

export type SessionStatus = "idle" | "running" | "awaiting_tool_execution" | "completed" | "error";

/** The small summary that is stored beside the log: `list` and `claimDue` read nothing else. */
export interface SessionHead {
  readonly status: SessionStatus;
  readonly agent: string;
  /** Copied from the `created` entry. Absent for a session that has none there. */
  readonly incarnation?: string;
  readonly principal?: string;
  readonly title?: string;
  /** The highest seq that was folded into this head: what is posted after it makes the session due. */
  readonly seen: number;
  /** When some host should look again, by the store's clock. */
  readonly wakeAt?: number;
  readonly updatedAt: number;
  /** No host can go on with the session, for this reason: it is not due, whatever is posted, until it is released. */
  readonly setAside?: { readonly reason: string; readonly at: number };
}

/** The right to append to one session, for a while. The epoch grows with each new owner and fences the old ones. */
export interface Lease {
  readonly sessionId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** A lease that was just given, with what its holder starts from. */
export interface Claim {
  readonly lease: Lease;
  readonly lastSeq: number;
  readonly head: SessionHead;
}

export interface AppendOptions {
  readonly lease: Lease;
  /** Absent: the stored one stays. While a turn runs there is nothing in it that anybody goes by, but that it runs. */
  readonly head?: SessionHead | undefined;
  /** Append only if this is the last seq: for the append that ends a turn. */
  readonly onlyIfSeq?: number;
}

/** `seqs` of the appended entries, in order and without a gap among them; or nothing was written, as the log has gone on. */
export type Appended =
  | { readonly type: "appended"; readonly seqs: readonly number[]; readonly lastSeq: number }
  | { readonly type: "conflict"; readonly lastSeq: number };

/** Which session a write is meant for, if its id may be another session's by now. */
export interface WriteOptions {
  /** The write fails with `not_found` if the session has another. */
  readonly incarnation?: string | undefined;
}

/** `isNew` is false for an id that was posted before: `seq` is then the place of the first. */
export interface Posted {
  readonly seq: number;
  readonly isNew: boolean;
}

export interface ReadOptions {
  /** Entries behind this seq. Default 0: from the beginning. */
  readonly after?: number;
  /** At most so many. A store may give fewer; `lastSeq` tells whether there are more. */
  readonly limit?: number;
}

export interface ReadPage {
  readonly entries: readonly StoredEntry[];
  /** Of the whole session. */
  readonly lastSeq: number;
  /** `incarnationOf` the session's first entry, read in the same moment. Undefined if it began without one. */
  readonly incarnation?: string | undefined;
}

export interface ListQuery {
  readonly agent?: string;
  readonly principal?: string;
  readonly status?: SessionStatus;
  /** Default 50. */
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

export interface ListedSession {
  readonly id: string;
  readonly head: SessionHead;
  readonly lastSeq: number;
}

/** Newest first: by `updatedAt` and then by id, both falling. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface DueQuery {
  /** Only sessions of these agents. */
  readonly agents: readonly string[];
  readonly owner: string;
  readonly ttlMs: number;
  /** Default 10. */
  readonly limit?: number;
}

export interface ByteRange {
  readonly start: number;
  /** Exclusive. To the end, if absent. */
  readonly end?: number;
}

/**
 * Events that no entry tells, on their way to readers in other processes. They are the events `from`, `from + 1` … behind the
 * entry `seq`. A `snapshot` event stands for all before it.
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
 * `changed`: the session was begun or deleted, or something was appended or posted. Read it, unless you have everything up to `lastSeq`, if the
 * store tells that, of a session of this `incarnation`, if it tells that too. Without it the session is still the one that the store told of before.
 * `followed`: a reader elsewhere wants live frames, from a snapshot on.
 */
export type Wakeup =
  | {
      readonly type: "changed";
      readonly lastSeq?: number | undefined;
      readonly incarnation?: string | undefined;
    }
  | { readonly type: "live"; readonly frame: LiveFrame }
  | { readonly type: "followed" };

export interface SubscribeOptions {
  /** Whether to get live frames; the owner is told that somebody follows, also one that begins to listen later. */
  readonly isLive?: boolean;
}

/**
 * Every method may fail with a `RepositoryError`. `unavailable` is a failure of the store, after which it is unknown whether the write happened:
 * a turn under way waits for the store to come back. Anything else that is thrown counts as a bug, and ends the turn. Entries come back as they were written, byte for byte as JSON, the unknown ones
 * included.
 */
export interface SessionRepository {
  /** Begins a session; its entries are numbered from 1. Fails with `exists`, `invalid_entry`. */
  create(id: string, entries: readonly NewEntry[], head: SessionHead): MaybePromise<void>;
  /**
   * By the holder of the lease only. Fails with `fenced` if a newer epoch was given, or the lease was released or has run out;
   * with `not_found`; with `invalid_entry` for one without an envelope or with an id that is taken, and then nothing is written.
   * No entries: only the head is refreshed, and `onlyIfSeq` holds all the same. An entry may have the `seq` that its writer foresees; the
   * one that the store gives is what counts.
   */
  append(id: string, entries: readonly NewEntry[], options: AppendOptions): MaybePromise<Appended>;
  /** By anyone, once per entry id, an owner's included. Fails with `not_found`, `invalid_entry`. */
  post(id: string, entry: PostedEntry, options?: WriteOptions): MaybePromise<Posted>;
  /** Fails with `not_found`. */
  read(id: string, options?: ReadOptions): MaybePromise<ReadPage>;
  list(query?: ListQuery): MaybePromise<SessionPage>;
  /**
   * With all its entries and blobs. Nothing happens if there is none. An owner at work finds `not_found`, and `fenced` where the
   * id was created again: its epochs go on behind those of the old.
   */
  delete(id: string): MaybePromise<void>;

  /** Undefined if another owner's lease is live. The same owner gets a new epoch as well. Fails with `not_found`. */
  acquire(id: string, owner: string, ttlMs: number): MaybePromise<Claim | undefined>;
  /**
   * Lets the lease last `ttlMs` from now, also one that has run out, if no other was given since. Fails with `fenced` if one was, or this
   * was released; with `not_found`.
   */
  renew(lease: Lease, ttlMs: number): MaybePromise<void>;
  /** Gives it back; the last seq tells whether something was posted that its holder has not seen. Fails like `append`. */
  release(lease: Lease): MaybePromise<{ readonly lastSeq: number }>;
  /**
   * Leases of due sessions and of no others: a session is given to one caller only. Least recently owned first, by when it was last given or
   * given back: one that fails each time goes to the end of the line. Those that never had an owner come first.
   */
  claimDue(query: DueQuery): MaybePromise<readonly Claim[]>;
  /**
   * Milliseconds until a session of these agents becomes due by itself, as when a lease runs out; undefined if none will. A hint that lets hosts look
   * at that moment and not at their next poll, for stores that can tell it cheaply.
   */
  nextDueInMs?(agents: readonly string[]): MaybePromise<number | undefined>;

  /** Before the entry that names it. The same bytes give the same ref, in every session. Fails with `not_found`. */
  putBlob(id: string, bytes: Uint8Array, options?: WriteOptions): MaybePromise<string>;
  /** Undefined if there is none of this ref in this session. */
  getBlob(id: string, ref: string, range?: ByteRange): MaybePromise<Uint8Array | undefined>;

  /** Wake-ups are hints: one may be lost or come twice, and several may be one. Returns how to stop. */
  subscribe(id: string, listener: (wakeup: Wakeup) => void, options?: SubscribeOptions): () => void;
  /** Hands a frame to those who follow. A frame of an older epoch than the session's is dropped. Never fails. */
  sendLive?(lease: Lease, frame: LiveFrame): void;
}

export type RepositoryErrorCode =
  | "not_found"
  | "exists"
  | "fenced"
  | "invalid_entry"
  | "unavailable";

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

/** By name: a store may have brought a copy of this package of its own. */
export function isRepositoryError(thrown: unknown): thrown is RepositoryError {
  return isCapstanError(thrown) && thrown.name === "RepositoryError";
}
