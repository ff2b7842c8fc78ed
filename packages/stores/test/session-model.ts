/** States that a session may have after calls of which some were cut off: those may have taken effect, or not. */
import { isDeepStrictEqual } from "node:util";
import type { Claim, ClaimTerms, Lease, Posted, SessionHead } from "@capstan/log";

export interface SessionState {
  readonly id: string;
  /** Ids of the entries. Undefined if there is no session. */
  readonly entries: readonly string[] | undefined;
  readonly head: SessionHead;
  /** Seq of the last post. */
  readonly lastPosted: number;
  /** Highest epoch so far, also of sessions of this id that were deleted. */
  readonly epoch: number;
  /** Owner of the lease, which lasts longer than the test. */
  readonly owner: string | undefined;
  readonly blobs: readonly string[];
  /** Whether lists and searches for due sessions must show it as it is: the call that made it has returned. */
  readonly isTold: boolean;
}

/** Possible result of a call, and the state after it. */
interface Outcome {
  readonly state: SessionState;
  readonly result: unknown;
}

export type ModelCall = (state: SessionState) => readonly Outcome[];

interface Failed {
  readonly failed: string;
}

/** Result that says nothing about the state. */
const anything = Symbol("anything");
const notFound: Failed = { failed: "not_found" };
const fenced: Failed = { failed: "fenced" };

export class SessionModel {
  #states: readonly SessionState[];

  constructor(id: string, head: SessionHead) {
    const none = { entries: undefined, lastPosted: 0, epoch: 0, owner: undefined, blobs: [] };
    this.#states = [{ id, head, ...none, isTold: true }];
  }

  /** One of the states. */
  get some(): SessionState {
    return this.#states[0] as SessionState;
  }

  /** The call has returned. Fails if it could not have in any of the states. */
  returned(call: ModelCall, result: unknown): void {
    const outcomes = this.#states.flatMap(call);
    const fitting = outcomes.filter(
      (each) => each.result === anything || isDeepStrictEqual(each.result, result),
    );
    if (fitting.length === 0) {
      const expected = JSON.stringify(outcomes.map((each) => each.result ?? null));
      throw new Error(`${JSON.stringify(result)} is none of the possible results: ${expected}`);
    }
    this.#states = distinct(fitting.map(({ state }) => state));
  }

  /** The call was cut off. */
  mayHaveRun(call: ModelCall): void {
    const run = this.#states.flatMap((before) =>
      call(before).map(({ state }) => (state === before ? state : { ...state, isTold: false })),
    );
    this.#states = distinct([...this.#states, ...run]);
  }

  /** Whether a list that lacks nothing may have this. */
  mayBeListed(listed: unknown): boolean {
    return this.#states.some((state) => isDeepStrictEqual(listedAs(state), listed));
  }
}

function distinct(states: readonly SessionState[]): readonly SessionState[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()];
}

/** Outcome of a call that changes nothing. */
function unchanged(state: SessionState, result: unknown): readonly Outcome[] {
  return [{ state, result }];
}

function changed(
  state: SessionState,
  changes: Partial<SessionState>,
  result?: unknown,
): readonly Outcome[] {
  return [{ state: { ...state, ...changes, isTold: true }, result }];
}

/** Fails with `not_found` if there is no session. */
function existing(
  call: (state: SessionState, entries: readonly string[]) => readonly Outcome[],
): ModelCall {
  return (state) =>
    state.entries === undefined ? unchanged(state, notFound) : call(state, state.entries);
}

function create(ids: readonly string[], head: SessionHead): ModelCall {
  return (state) => {
    if (state.entries !== undefined) return unchanged(state, { failed: "exists" });
    return changed(state, { entries: ids, head, lastPosted: 0, owner: undefined, blobs: [] });
  };
}

interface ModelStart {
  readonly ids: readonly string[];
  readonly head: SessionHead;
  readonly onlyIfSeq: number;
}

function post(id: string, claim?: ClaimTerms, start?: ModelStart): ModelCall {
  return existing((state, entries) => {
    const known = entries.indexOf(id);
    if (known >= 0) return unchanged(state, { seq: known + 1, isNew: false });
    const seq = entries.length + 1;
    const posted: Posted = { seq, isNew: true };
    const after = { ...state, entries: [...entries, id], lastPosted: seq };
    if (claim === undefined || !isFree(state, claim.owner)) return changed(after, {}, posted);
    const given = give(after, claim.owner);
    if (start?.onlyIfSeq !== entries.length) {
      return changed(given, {}, { ...posted, claim: claimOf(given) });
    }
    const { ids, head } = start;
    const started = { ...given, entries: [...entries, id, ...ids], head };
    return changed(started, {}, { ...posted, claim: claimOf(started), isStarted: true });
  });
}

interface ModelAppend {
  readonly lease: Lease;
  readonly head?: SessionHead;
  readonly onlyIfSeq?: number;
  readonly releases?: boolean;
}

function append(ids: readonly string[], options: ModelAppend): ModelCall {
  return existing((state, entries) => {
    const { lease, head = state.head, onlyIfSeq = entries.length, releases } = options;
    if (!isHeld(state, lease)) return unchanged(state, fenced);
    if (onlyIfSeq !== entries.length) {
      return changed(state, {}, { type: "conflict", lastSeq: entries.length });
    }
    const all = [...entries, ...ids];
    const seqs = ids.map((_, i) => entries.length + 1 + i);
    const appended = { type: "appended", seqs, lastSeq: all.length };
    const after = { ...state, entries: all, head };
    if (releases !== true) return changed(after, {}, appended);
    return changed(after, { owner: undefined }, { ...appended, isReleased: true });
  });
}

function acquire(owner: string): ModelCall {
  return existing((state) => {
    if (!isFree(state, owner)) return changed(state, {});
    const given = give(state, owner);
    return changed(given, {}, claimOf(given));
  });
}

/** Not reported to lists, which show nothing of it. */
function renew(lease: Lease): ModelCall {
  return existing((state) => unchanged(state, isHeld(state, lease) ? undefined : fenced));
}

function release(lease: Lease): ModelCall {
  return existing((state, entries) => {
    if (!isHeld(state, lease)) return unchanged(state, fenced);
    return changed(state, { owner: undefined }, { lastSeq: entries.length });
  });
}

/** Result: the claim of this session, if any. */
function claimDue(owner: string): ModelCall {
  return (state) => {
    const { entries, head, lastPosted, isTold } = state;
    const isDue = head.status === "running" || lastPosted > head.seen;
    if (entries === undefined || state.owner !== undefined || !isDue) {
      return unchanged(state, undefined);
    }
    const given = give(state, owner);
    const claimed = changed(given, {}, claimOf(given));
    return isTold ? claimed : [...claimed, ...unchanged(state, undefined)];
  };
}

function putBlob(ref: string): ModelCall {
  return existing((state) => {
    if (state.blobs.includes(ref)) return unchanged(state, ref);
    return [{ state: { ...state, blobs: [...state.blobs, ref] }, result: ref }];
  });
}

/** Result: whether there is one. */
function getBlob(ref: string): ModelCall {
  return (state) => unchanged(state, state.entries !== undefined && state.blobs.includes(ref));
}

const remove: ModelCall = (state) =>
  state.entries === undefined
    ? unchanged(state, undefined)
    : changed(state, { entries: undefined, owner: undefined, blobs: [] });

const read: ModelCall = existing((state, entries) =>
  unchanged(state, { ids: entries, lastSeq: entries.length, incarnation: entries[0] }),
);

/** Result: what the list has of this session, if anything. */
const list: ModelCall = (state) => unchanged(state, state.isTold ? listedAs(state) : anything);

/** Calls of a store, as they change the state of one session. */
export const modelOf = {
  create,
  post,
  append,
  acquire,
  renew,
  release,
  claimDue,
  putBlob,
  getBlob,
  remove,
  read,
  list,
};

function listedAs({ id, entries, head }: SessionState): unknown {
  return entries === undefined ? undefined : { id, head, lastSeq: entries.length };
}

function isFree(state: SessionState, owner: string): boolean {
  return state.owner === undefined || state.owner === owner;
}

function isHeld(state: SessionState, { epoch }: Lease): boolean {
  return state.owner !== undefined && state.epoch === epoch;
}

function give(state: SessionState, owner: string): SessionState {
  return { ...state, owner, epoch: state.epoch + 1 };
}

function claimOf({ id, owner = "", epoch, entries = [], head }: SessionState): Claim {
  return { lease: { sessionId: id, owner, epoch }, lastSeq: entries.length, head };
}
