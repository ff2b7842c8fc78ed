/** Writes of each call: computed from a session's state, or refused with a reason. */
import type { Appended, AppendOptions, Claim, Lease, Posted, PostedStart } from "@capstan/log";
import { invalidEntry, leaseOver } from "@capstan/log";
import type { EntryText, PostTexts } from "../text/entry-text.ts";
import { ownIdentity } from "../watch/process-identity.ts";
import type { LogFile, LogWrite } from "./log-file.ts";
import type { SessionState } from "./session-state.ts";
import { leaseEnd } from "./session-state.ts";

export interface Append {
  readonly texts: readonly EntryText[];
  readonly options: AppendOptions;
}

export function appendTo(
  log: LogFile,
  state: SessionState,
  { texts, options }: Append,
  now: number,
): LogWrite<Appended> {
  const { lease, onlyIfSeq, head = state.head, releases } = options;
  checkLease(state, lease, now);
  mustBeNew(log, state, texts);
  if (onlyIfSeq !== undefined && onlyIfSeq !== state.lastSeq) {
    return { result: { type: "conflict", lastSeq: state.lastSeq } };
  }
  const seqs = texts.map((_, i) => state.lastSeq + 1 + i);
  const lastSeq = state.lastSeq + texts.length;
  const next = { ...state, lastSeq, head };
  if (releases !== true) {
    return { result: { type: "appended", seqs, lastSeq }, entries: texts, next };
  }
  const result = { type: "appended", seqs, lastSeq, isReleased: true } as const;
  return { result, entries: texts, next: withoutLease(next, now) };
}

export interface Post extends PostTexts {
  readonly start: PostedStart | undefined;
}

/** `terms`: of the lease that is given with the post, if it is free. */
export function postTo(
  log: LogFile,
  state: SessionState,
  { entry, started, start }: Post,
  terms: LeaseTerms | undefined,
): LogWrite<Posted> {
  const first = log.seqOf(entry.id);
  if (first !== undefined) return { result: { seq: first, isNew: false } };
  const seq = state.lastSeq + 1;
  const next = { ...state, lastSeq: seq, lastPosted: seq };
  if (terms === undefined || isHeldByAnother(state, terms.owner, terms.now)) {
    return { result: { seq, isNew: true }, entries: [entry], next };
  }
  if (start === undefined || start.onlyIfSeq !== state.lastSeq || state.head.setAside) {
    const { result: claim, next: held } = giveLease(next, terms);
    return { result: { seq, isNew: true, claim }, entries: [entry], next: held };
  }
  mustBeNew(log, state, started);
  if (started.some(({ id }) => id === entry.id)) throw idTaken(state, entry);
  const lastSeq = seq + started.length;
  const { result: claim, next: held } = giveLease({ ...next, lastSeq, head: start.head }, terms);
  const result = { seq, isNew: true, claim, isStarted: true } as const;
  return { result, entries: [entry, ...started], next: held };
}

function mustBeNew(log: LogFile, state: SessionState, texts: readonly EntryText[]): void {
  for (const text of texts) if (log.seqOf(text.id) !== undefined) throw idTaken(state, text);
}

function idTaken(state: SessionState, { id }: EntryText): Error {
  return invalidEntry(state.id, `its id "${id}" is already in use`);
}

export interface LeaseTerms {
  readonly owner: string;
  readonly now: number;
  readonly expiresAt: number;
  /** No epoch up to this one is used again. */
  readonly lastEpoch: number;
}

export function giveLease(
  state: SessionState,
  terms: LeaseTerms,
): LogWrite<Claim> & { readonly next: SessionState } {
  const { id, lastSeq, head } = state;
  const { owner, expiresAt } = terms;
  const epoch = Math.max(state.epoch, terms.lastEpoch) + 1;
  return {
    result: { lease: { sessionId: id, owner, epoch }, lastSeq, head },
    next: {
      ...state,
      epoch,
      lease: { owner, expiresAt, holder: ownIdentity() },
      lastOwned: terms.now,
    },
  };
}

export function isHeldByAnother(state: SessionState, owner: string, now: number): boolean {
  return now < (leaseEnd(state) ?? -Infinity) && state.lease?.owner !== owner;
}

export function extendLease(
  state: SessionState,
  lease: Lease,
  now: number,
  ttlMs: number,
): LogWrite<void> {
  // Also renews an expired lease, as long as it is the last one and was not released.
  const { lease: held } = state;
  if (held === undefined || !isLast(state, lease)) throw leaseOver(state.id, lease, state.epoch);
  return { result: undefined, next: { ...state, lease: { ...held, expiresAt: now + ttlMs } } };
}

export function endLease(
  state: SessionState,
  lease: Lease,
  now: number,
): LogWrite<{ readonly lastSeq: number }> {
  checkLease(state, lease, now);
  return { result: { lastSeq: state.lastSeq }, next: withoutLease(state, now) };
}

function withoutLease(state: SessionState, now: number): SessionState {
  const { lease: _, ...free } = state;
  return { ...free, lastOwned: now };
}

/** Fails with `fenced`. */
function checkLease(state: SessionState, lease: Lease, now: number): void {
  const { id, epoch, lease: held } = state;
  const isLive = held !== undefined && now < held.expiresAt;
  if (!isLive || !isLast(state, lease)) throw leaseOver(id, lease, epoch);
}

function isLast({ id, epoch }: SessionState, lease: Lease): boolean {
  return lease.sessionId === id && lease.epoch === epoch;
}
