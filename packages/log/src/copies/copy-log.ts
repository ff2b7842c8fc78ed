/** Makes the log of one session the beginning of another: a copy, or a fork. */
import type { ChatMessage } from "@capstan/kernel";
import type { Entry, NewEntry, StoredEntry } from "../entries/entries.ts";
import { entryVersion, isPosted } from "../entries/entries.ts";
import { foldEntries, parseEntries } from "../folds/fold-entries.ts";
import { SessionFold } from "../folds/session-fold.ts";

/** Entries of a copy, which is its own session. Unknown entries are copied unchanged, checkpoints are left out, because entries get other seqs. */
export function copyLog(stored: readonly StoredEntry[], incarnation: string): NewEntry[] {
  const copied = stored.filter(({ type }) => type !== "checkpoint");
  return copied.map((each, index) => {
    const { seq: _, ...entry } = each;
    // Entries that only a newer program understands are passed on unchanged.
    const copy = renamed(entry as unknown as NewEntry, index + 1);
    return copy.type === "created" ? { ...copy, incarnation } : copy;
  });
}

/** Description of a fork: the new session, and the message up to which it copies. */
export interface Fork {
  /** Session to fork. */
  readonly sessionId: string;
  /** Id of the last message to keep; its step is kept as a whole. Default: everything that is complete. */
  readonly at?: string;
  /** Incarnation of the fork: random, so that the fork does not repeat calls that the original has started. */
  readonly incarnation: string;
  /** Time on the clock of the forking process. */
  readonly now: number;
}

/** Log of a fork: cut where no call is open, without entries that have had no effect yet. Undefined if there is no message with that id. */
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
  /** Number of entries to keep, and the state they give. */
  readonly count: number;
  readonly fold: SessionFold;
}

function findCut(stored: readonly StoredEntry[], at: string | undefined): Cut | undefined {
  const fold = new SessionFold();
  const history = at === undefined ? undefined : historyWith(at, stored);
  let count: number | undefined;
  let read = 0;
  for (const { seq, entry } of parseEntries(stored)) {
    read += 1;
    if (entry === undefined) fold.skip(seq);
    else fold.apply(entry);
    // A message may be cut away before its step is complete.
    if (!isWhole(fold) || (at !== undefined && !fold.transcript.has(at))) continue;
    // Messages that came together, as a loaded history, may have been cut apart later.
    if (history !== undefined && !isPrefix(fold.transcript.list, history)) continue;
    count = read;
    if (at !== undefined) break;
  }
  return count === undefined ? undefined : { count, fold: foldEntries(stored.slice(0, count)) };
}

/** The history as it is now, if it has this message; undefined if the message was cut off. */
function historyWith(
  at: string,
  stored: readonly StoredEntry[],
): readonly ChatMessage[] | undefined {
  const { transcript } = foldEntries(stored);
  return transcript.has(at) ? transcript.list : undefined;
}

function isPrefix(messages: readonly ChatMessage[], history: readonly ChatMessage[]): boolean {
  return messages.every(({ id }, index) => history[index]?.id === id);
}

/** Whether no attempt is under way, and every call has its result. */
function isWhole({ created, turn, transcript: { step, last } }: SessionFold): boolean {
  if (created === undefined || turn?.underWay?.state === "open") return false;
  // The note that the reply was interrupted follows it.
  if (last?.role === "assistant" && last.stopReason === "aborted") return false;
  return step === undefined || step.isSettled;
}

/** Waiting entries would take effect twice, in both sessions; refused entries might not be refused again. */
function isWithoutEffect(fold: SessionFold, { id, turnId }: StoredEntry): boolean {
  if (fold.acceptedInput?.id === id || fold.queues.find(id) !== undefined) return true;
  // A compaction that was started for a request is dropped with the request.
  if (typeof turnId === "string" && fold.compactions.isWaiting(turnId)) return true;
  return fold.compactions.isWaiting(id) || fold.refusalOf(id) !== undefined;
}

/** Owners number their entries by the epochs of one store; no epoch is 0, and nothing refers to these ids. */
function renamed(entry: NewEntry, seq: number): NewEntry {
  if (!isOwned(entry)) return entry;
  const copy = { ...entry, id: copiedId(seq) };
  return copy.type === "turn_resumed" ? { ...copy, epoch: 0 } : copy;
}

function isOwned(entry: Entry | NewEntry): boolean {
  return /^\d+~\d+$/.test(entry.id) && !isPosted(entry);
}

function copiedId(seq: number): string {
  return `0~${seq}`;
}
