/** Damaged sessions: reads the readable part of a log, and copies the sound beginning to a session that can continue. */
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

/** Readable entries of a damaged log, those that were lost, and the fold of the readable ones. */
export interface SalvagedLog {
  /** All readable entries, in order, before and after the damage. */
  readonly entries: readonly StoredEntry[];
  /** Empty if the log is undamaged. */
  readonly lost: readonly LostEntry[];
  /** State that follows from the readable entries: for inspection, not to continue from. */
  readonly fold: SessionFold;
}

/**
 * Reads a log past its corrupt entries; nothing is written. Fails with `not_found`, and with `unavailable` if the store cannot locate the
 * entries.
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

/** Identity and time of a repaired session. */
export interface Repair {
  /** Id of the copy. */
  readonly id: string;
  /** Incarnation of the copy. */
  readonly incarnation: string;
  readonly now: number;
}

/** Outcome of a repair: what was lost and what was kept. */
export interface RepairedSession {
  readonly lost: readonly LostEntry[];
  /** Number of entries of the damaged session, from its first, that the copy was made from. */
  readonly keptThrough: number;
  /** Number of readable entries that are not in the copy. */
  readonly left: number;
}

/**
 * Creates a session from the entries before the first corrupt one, up to the last complete step, like a fork. The damaged session is not
 * changed. Undefined if it is not damaged. Fails with a `LogError` if the first entry is corrupt, because no entry precedes it.
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
  /** Error of the entry that follows the page. */
  readonly lost?: LogError;
};

/** Reads the next entries, up to one that the store cannot read. */
async function readPage(
  repository: SessionRepository,
  id: string,
  after: number,
): Promise<SalvagedPage> {
  try {
    return await repository.read(id, { after });
  } catch (thrown) {
    // An error that is not about a later entry would be the same on the next try.
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
  const message = `Session "${id}" cannot be repaired: no complete step precedes entry ${seq} (${reason}). Restore a copy of the store, or export the readable entries`;
  return new LogError("corrupt_entry", { seq, id: "" }, message);
}
