/** One session in memory: its entries, head, lease and blobs. Every write is validated as a whole before any of it is applied. */
import type { NewEntry, PostedEntry, StoredEntry } from "../entries/entries.ts";
import { checkEnvelope, checkEnvelopes, invalidEntry } from "../entries/entry-envelope.ts";
import { incarnationOf } from "../entries/incarnation.ts";
import type { DueFacts } from "../repository/is-due.ts";
import { MemoryBlobs } from "./memory-blobs.ts";
import type { MemoryLease } from "./memory-lease.ts";
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  ClaimTerms,
  Posted,
  PostedStart,
  PostOptions,
  ReadOptions,
  ReadPage,
  SessionHead,
} from "../repository/repository.ts";

const maxUnindexed = 32;

/** Everything of a session but its lease. */
export interface SessionContent {
  readonly id: string;
  readonly head: SessionHead;
  readonly lastPostedSeq: number;
  /** In order, numbered from 1. */
  readonly entries: readonly StoredEntry[];
  /** By ref. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

const noBlobs: ReadonlyMap<string, Uint8Array> = new Map();

export class MemorySession implements DueFacts {
  readonly id: string;
  readonly lease: MemoryLease;
  /** The seq of an entry is its index here, plus one. */
  #entries: StoredEntry[] = [];
  /** Seqs by id. Short logs do without: searching them is faster than maintaining the map. */
  #seqs: Map<string, number> | undefined;
  #head: SessionHead;
  #lastPostedSeq = 0;
  /** Most sessions have none. */
  #blobs: MemoryBlobs | undefined;

  constructor(id: string, entries: readonly NewEntry[], head: SessionHead, lease: MemoryLease) {
    checkEnvelopes(id, entries);
    this.id = id;
    this.lease = lease;
    this.#head = head;
    this.#add(entries);
  }

  /** Creates a session with the same content, which is not changed by later writes. Its entries are not checked again. */
  static restore(
    { id, head, lastPostedSeq, entries, blobs }: SessionContent,
    lease: MemoryLease,
  ): MemorySession {
    const session = new MemorySession(id, [], head, lease);
    session.#entries = [...entries];
    session.#lastPostedSeq = lastPostedSeq;
    if (blobs.size > 0) session.#blobs = new MemoryBlobs(blobs);
    return session;
  }

  /** Not a copy: it changes with the session. */
  get content(): SessionContent {
    return {
      id: this.id,
      head: this.#head,
      lastPostedSeq: this.#lastPostedSeq,
      entries: this.#entries,
      blobs: this.#blobs?.all ?? noBlobs,
    };
  }

  /** Undefined if the session began without an entry. */
  get incarnation(): string | undefined {
    const [first] = this.#entries;
    return first && incarnationOf(first);
  }

  get head(): SessionHead {
    return this.#head;
  }

  get lastSeq(): number {
    return this.#entries.length;
  }

  get lastPostedSeq(): number {
    return this.#lastPostedSeq;
  }

  get leaseExpiresAt(): number | undefined {
    return this.lease.expiresAt;
  }

  append(entries: readonly NewEntry[], options: AppendOptions, now: number): Appended {
    const { lease, head, onlyIfSeq, releases } = options;
    this.lease.check(lease, now);
    checkEnvelopes(this.id, entries);
    if (onlyIfSeq !== undefined && onlyIfSeq !== this.lastSeq) {
      return { type: "conflict", lastSeq: this.lastSeq };
    }
    const seqs = this.#add(entries);
    if (head !== undefined) this.#head = head;
    const { lastSeq } = this;
    if (releases !== true) return { type: "appended", seqs, lastSeq };
    this.lease.end(now);
    return { type: "appended", seqs, lastSeq, isReleased: true };
  }

  /** Gives no lease: `claimPosted` does. */
  post(entry: PostedEntry, { claim: terms, start }: PostOptions, now: number): Posted {
    checkEnvelope(this.id, entry);
    const first = this.#seqOf(entry.id);
    if (first !== undefined) return { seq: first, isNew: false };
    const started = start && terms && this.#mayStart(start, terms, now) ? start : undefined;
    if (started !== undefined) checkEnvelopes(this.id, started.entries);
    const seq = this.lastSeq + 1;
    this.#add(started === undefined ? [entry] : [entry, ...started.entries]);
    this.#lastPostedSeq = seq;
    if (started === undefined) return { seq, isNew: true };
    this.#head = started.head;
    return { seq, isNew: true, isStarted: true };
  }

  /** The lease that was requested with a post. */
  claimPosted(posted: Posted, terms: ClaimTerms | undefined, now: number): Posted {
    if (terms === undefined || !posted.isNew) return posted;
    const claim = this.acquire(terms.owner, now, terms.ttlMs);
    return claim === undefined ? posted : { ...posted, claim };
  }

  #mayStart({ onlyIfSeq }: PostedStart, { owner }: ClaimTerms, now: number): boolean {
    if (onlyIfSeq !== this.lastSeq || this.#head.setAside !== undefined) return false;
    return !this.lease.isHeldByAnother(owner, now);
  }

  read({ after = 0, limit = Infinity, fromCheckpoint }: ReadOptions = {}): ReadPage {
    const { checkpoint = 1 } = fromCheckpoint === true ? this.#head : {};
    const start = Math.max(0, after === 0 ? checkpoint - 1 : after);
    return {
      entries: this.#entries.slice(start, start + limit),
      lastSeq: this.lastSeq,
      incarnation: this.incarnation,
    };
  }

  /** Undefined if another owner's lease is live. */
  acquire(owner: string, now: number, ttlMs: number): Claim | undefined {
    return this.lease.isHeldByAnother(owner, now) ? undefined : this.claim(owner, now, ttlMs);
  }

  claim(owner: string, now: number, ttlMs: number): Claim {
    const lease = this.lease.give(owner, now, ttlMs);
    return { lease, lastSeq: this.lastSeq, head: this.#head };
  }

  putBlob(bytes: Uint8Array): string {
    this.#blobs ??= new MemoryBlobs();
    return this.#blobs.put(bytes);
  }

  getBlob(ref: string, range: ByteRange | undefined): Uint8Array | undefined {
    return this.#blobs?.get(ref, range);
  }

  /** Returns the seqs. Fails with `invalid_entry` if an id is taken, and then adds nothing. */
  #add(entries: readonly NewEntry[]): number[] {
    const { lastSeq } = this;
    const seqs: number[] = [];
    for (const entry of entries) {
      const seq = this.lastSeq + 1;
      if (!this.#index(entry.id, seq)) {
        this.#entries.length = lastSeq;
        // It has ids that were not added.
        this.#seqs = undefined;
        throw invalidEntry(this.id, `its id "${entry.id}" is taken`);
      }
      this.#entries.push(placed(entry, seq));
      seqs.push(seq);
    }
    return seqs;
  }

  /** Returns false if the id is taken. */
  #index(id: string, seq: number): boolean {
    const seqs = this.#indexed();
    // One access instead of two: almost no id is taken.
    return seqs === undefined
      ? seqAmong(this.#entries, id) === undefined
      : seqs.set(id, seq).size === seq;
  }

  #seqOf(id: string): number | undefined {
    const seqs = this.#indexed();
    return seqs === undefined ? seqAmong(this.#entries, id) : seqs.get(id);
  }

  #indexed(): Map<string, number> | undefined {
    if (this.#entries.length <= maxUnindexed) return undefined;
    return (this.#seqs ??= new Map(this.#entries.map((entry) => [entry.id, entry.seq])));
  }
}

function seqAmong(entries: readonly StoredEntry[], id: string): number | undefined {
  // The last are the likeliest: an id that is taken is mostly one that was just written.
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.id === id) return entry.seq;
  }
  return undefined;
}

/** Returns the entry itself if its writer has predicted its seq: owners do. */
function placed(entry: NewEntry, seq: number): StoredEntry {
  if ((entry as Partial<StoredEntry>).seq === seq) return entry as StoredEntry;
  return { ...entry, seq };
}
