/** Damaged sessions: reads what is readable of a log, and makes a copy of the sound beginning that can go on. */
import { createCopy, readBlobs } from "./copy-blobs.ts";
import { forkLog } from "./copy-log.ts";
import type { Entry, StoredEntry } from "../entries/entries.ts";
import { foldNew } from "../folds/fold-entries.ts";
import { LogError } from "../entries/log-error.ts";
import { parseEntry } from "../entries/parse-entry.ts";
import type { ReadPage, SessionRepository } from "../repository/repository.ts";
import { SessionFold } from "../folds/session-fold.ts";

/** An entry that cannot be read. */
export interface LostEntry {
  readonly seq: number;
  readonly reason: string;
}

export interface SalvagedLog {
  /** Every entry that can be read, in order, before and after the damage. */
  readonly entries: readonly StoredEntry[];
  /** Empty if the log is sound. */
  readonly lost: readonly LostEntry[];
  /** State that follows from what can be read: for people to look at, not to go on from. */
  readonly fold: SessionFold;
}

/**
 * Reads a log past its corrupt entries; nothing is written. Fails with `not_found`, and with `unavailable` if the store cannot tell where
 * the entries are.
 */
export async function salvageLog(repository: SessionRepository, id: string): Promise<SalvagedLog> {
  const entries: StoredEntry[] = [];
  const lost: LostEntry[] = [];
  const fold = new SessionFold();
  for (let after = 0; ;) {
    const page = await readPage(repository, id, after);
    for (const stored of page.entries) {
      const entry = parseOr(stored, lost);
      if (entry !== "lost") entries.push(stored);
      if (typeof entry === "object") fold.apply(entry);
      else fold.skip(stored.seq);
      after = stored.seq;
    }
    if (page.lost !== undefined) {
      lost.push({ seq: page.lost.seq, reason: page.lost.message });
      fold.skip(page.lost.seq);
      after = page.lost.seq;
    } else if (page.entries.length === 0 || after >= page.lastSeq) {
      return { entries, lost, fold };
    }
  }
}

export interface Repair {
  /** Id of the copy. */
  readonly id: string;
  /** Tells the copy from every other session. */
  readonly incarnation: string;
  readonly now: number;
}

export interface RepairedSession {
  readonly lost: readonly LostEntry[];
  /** Entries of the damaged session, from its first, that the copy was made from. */
  readonly keptThrough: number;
  /** Readable entries that are not in the copy. */
  readonly left: number;
}

/**
 * Begins a session with what stands before the first corrupt entry, up to its last complete step, like a fork. The damaged session stays
 * as it is. Undefined if it is not damaged. Fails with a `LogError` if the first entry is corrupt, as nothing stands before it.
 */
export async function repairSession(
  repository: SessionRepository,
  damagedId: string,
  { id, incarnation, now }: Repair,
): Promise<RepairedSession | undefined> {
  const { entries, lost } = await salvageLog(repository, damagedId);
  const [first] = lost;
  if (first === undefined) return undefined;
  const sound = entries.filter(({ seq }) => seq < first.seq);
  if (sound.length === 0) throw nothingSound(damagedId, first);
  const copy = forkLog(sound, { sessionId: damagedId, incarnation, now });
  if (copy === undefined) throw nothingSound(damagedId, first);
  const head = foldNew(copy).head(now);
  const blobs = readBlobs(repository, damagedId, copy);
  await createCopy(repository, { id, entries: copy, head, blobs });
  const end = copy.at(-1);
  const keptThrough = end?.type === "forked_from" ? end.throughSeq : sound.length;
  return { lost, keptThrough, left: entries.length - keptThrough };
}

type SalvagedPage = Pick<ReadPage, "entries" | "lastSeq"> & {
  /** The entry after those of the page. */
  readonly lost?: LogError;
};

/** The next entries, or those up to one that the store cannot read. */
async function readPage(
  repository: SessionRepository,
  id: string,
  after: number,
): Promise<SalvagedPage> {
  try {
    return await repository.read(id, { after });
  } catch (thrown) {
    // Whatever is not about an entry further on would be the same at the next try.
    if (!(thrown instanceof LogError) || thrown.seq <= after) throw thrown;
    const limit = thrown.seq - 1 - after;
    const before = limit === 0 ? undefined : await repository.read(id, { after, limit });
    return { entries: before?.entries ?? [], lastSeq: thrown.seq, lost: thrown };
  }
}

function parseOr(stored: StoredEntry, lost: LostEntry[]): Entry | "lost" | undefined {
  try {
    return parseEntry(stored);
  } catch (thrown) {
    if (!(thrown instanceof LogError)) throw thrown;
    lost.push({ seq: stored.seq, reason: thrown.message });
    return "lost";
  }
}

function nothingSound(id: string, { seq, reason }: LostEntry): LogError {
  const message = `Session "${id}" cannot be repaired: nothing that could go on stands before entry ${seq} (${reason}). Bring back a copy of the store, or export what is readable`;
  return new LogError("corrupt_entry", { seq, id: "" }, message);
}
