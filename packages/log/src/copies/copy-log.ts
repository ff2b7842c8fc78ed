/** The log of one session as the beginning of another: a copy elsewhere, or a fork. */
import type { Entry, NewEntry, StoredEntry } from "../entries/entries.ts";
import { entryVersion, isPosted } from "../entries/entries.ts";
import { foldEntries, parseEntries } from "../folds/fold-entries.ts";
import { SessionFold } from "../folds/session-fold.ts";

/** The entries of a copy, which is a session of its own. The unknown entries go with it, as they are. */
export function copyLog(stored: readonly StoredEntry[], incarnation: string): NewEntry[] {
  return stored.map((each, place) => {
    const { seq: _, ...entry } = each;
    // What only a newer program understands is passed on as it is.
    const copy = renamed(entry as unknown as NewEntry, place + 1);
    return copy.type === "created" ? { ...copy, incarnation } : copy;
  });
}

export interface Fork {
  /** The session that is forked. */
  readonly sessionId: string;
  /** The id of the last message to keep; the step that it is in is kept whole. Default: all that is complete. */
  readonly at?: string;
  /** Incarnation of the fork: random, so that it does not repeat calls that the original has begun. */
  readonly incarnation: string;
  /** On the clock of whoever forks. */
  readonly now: number;
}

/** The log of a fork: cut where no call is open, and without what nobody has acted on. Undefined: there is no message of that id. */
export function forkLog(stored: readonly StoredEntry[], fork: Fork): NewEntry[] | undefined {
  const cut = findCut(stored, fork.at);
  if (cut === undefined) return undefined;
  const { fold, count } = cut;
  const kept = stored.slice(0, count).filter((entry) => !isWithoutEffect(fold, entry));
  const entries = copyLog(kept, fork.incarnation);
  const envelope = (): Pick<NewEntry, "v" | "id" | "at"> => ({
    v: entryVersion,
    id: copiedId(entries.length + 1),
    at: fork.now,
  });
  if (fold.turn?.isOver === false) {
    const { turnId, usage } = fold.turn;
    entries.push({ ...envelope(), type: "turn_ended", turnId, finishReason: "forked", usage });
  }
  const { sessionId } = fork;
  entries.push({ ...envelope(), type: "forked_from", sessionId, throughSeq: fold.seq });
  return entries;
}

interface Cut {
  /** How many entries are kept, and what they come to. */
  readonly count: number;
  readonly fold: SessionFold;
}

function findCut(stored: readonly StoredEntry[], at: string | undefined): Cut | undefined {
  const fold = new SessionFold();
  let count: number | undefined;
  let place = 0;
  let isReached = at === undefined;
  for (const { seq, entry } of parseEntries(stored)) {
    place += 1;
    if (entry === undefined) fold.skip(seq);
    else fold.apply(entry);
    isReached ||= at !== undefined && fold.transcript.has(at);
    if (!isReached || !isWhole(fold)) continue;
    count = place;
    if (at !== undefined) break;
  }
  return count === undefined ? undefined : { count, fold: foldEntries(stored.slice(0, count)) };
}

/** No attempt is under way, and every call has its result. */
function isWhole({ created, turn, transcript: { step, last } }: SessionFold): boolean {
  if (created === undefined || turn?.underWay?.state === "open") return false;
  // The word that a reply was interrupted comes behind it.
  if (last?.role === "assistant" && last.stopReason === "aborted") return false;
  return step === undefined || step.isSettled;
}

/** What still waits would be done twice, here and there; what was refused might not be refused again. */
function isWithoutEffect(fold: SessionFold, { id, turnId }: StoredEntry): boolean {
  if (fold.acceptedInput?.id === id || fold.queues.find(id) !== undefined) return true;
  // A compaction that was begun for a request goes with the request.
  if (typeof turnId === "string" && fold.compactions.isWaiting(turnId)) return true;
  return fold.compactions.isWaiting(id) || fold.refusalOf(id) !== undefined;
}

/** Owners number what they write by the epochs of one store; no epoch is 0, and nobody refers to these ids. */
function renamed(entry: NewEntry, place: number): NewEntry {
  if (!isOwned(entry)) return entry;
  const copy = { ...entry, id: copiedId(place) };
  return copy.type === "turn_resumed" ? { ...copy, epoch: 0 } : copy;
}

function isOwned(entry: Entry | NewEntry): boolean {
  return /^\d+~\d+$/.test(entry.id) && !isPosted(entry);
}

function copiedId(place: number): string {
  return `0~${place}`;
}
