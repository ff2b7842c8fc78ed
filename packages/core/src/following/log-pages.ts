/** Reads a session's log for readers, a page at a time: all of it, or a part. */
import type { MaybePromise, StoredEntry } from "@capstan/log";
import { RepositoryError } from "@capstan/log";
import type { SessionLog } from "../owner/session-log.ts";

/** A part of a log: the entries after a seq, up to the first limit that is reached. */
export interface PartOfLog {
  readonly after: number;
  readonly maxEntries: number;
  /** Characters of the entries' JSON. The entry that reaches the limit is the last. */
  readonly maxChars: number;
}

/** Entries read at a time for readers that may leave or have enough after any page. */
const shownEntries = 64;

/** How often a reader of a whole log tries to overtake its writers. */
const maxRounds = 1_000;

/** Reads the whole log from the store, up to its end at the time of the call. */
export async function readAll(log: SessionLog): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = [];
  await readOn(log, entries);
  return entries;
}

/** Passes the whole log to `take` at a moment when everything folded is in it. */
export async function readWhole<T>(
  log: SessionLog,
  take: (stored: readonly StoredEntry[]) => T,
): Promise<T> {
  // The reader may have seen more in another process than this process has read.
  await log.catchUp();
  const stored: StoredEntry[] = [];
  for (let round = 1; round <= maxRounds; round += 1) {
    await readOn(log, stored);
    // More may have been folded during the read.
    if (lastOf(stored) >= log.fold.seq) return take(stored);
  }
  const message = `Session "${log.id}" is written faster than it can be read: retry`;
  throw new RepositoryError("unavailable", log.id, message);
}

/**
 * Passes the log to `take` a page at a time, and calls `onDone` at a moment when everything folded was passed. `take` may delay the next
 * page with a promise, and stop the read with false.
 */
export async function readPages(
  log: SessionLog,
  take: (stored: readonly StoredEntry[]) => MaybePromise<boolean>,
  onDone: () => void,
): Promise<void> {
  await log.catchUp();
  let last = 0;
  while (last < log.fold.seq) {
    const { entries } = await log.pages.read(last, shownEntries);
    const folded = entries.filter(({ seq }) => seq <= log.fold.seq);
    if (!(await take(folded))) return;
    last = folded.at(-1)?.seq ?? log.fold.seq;
    if (last < log.fold.seq) await log.pages.breathe();
  }
  onDone();
}

/** Passes a part of the log to `take` at a moment when all of it is folded. The part reaches the end of the log, or a limit. */
export async function readPart<T>(
  log: SessionLog,
  { after, maxEntries, maxChars }: PartOfLog,
  take: (stored: readonly StoredEntry[]) => T,
): Promise<T> {
  await log.catchUp();
  const part: StoredEntry[] = [];
  let chars = 0;
  let last = after;
  // More may be folded during the read.
  while (last < log.fold.seq && part.length < maxEntries && chars < maxChars) {
    const page = await log.pages.read(last, Math.min(shownEntries, maxEntries - part.length));
    for (const entry of page.entries) {
      if (entry.seq > log.fold.seq || chars >= maxChars) break;
      part.push(entry);
      last = entry.seq;
      chars += JSON.stringify(entry).length;
    }
    await log.pages.breathe();
  }
  return take(part);
}

/** Adds the entries after the last one. */
async function readOn(log: SessionLog, entries: StoredEntry[]): Promise<void> {
  let end = Infinity;
  while (lastOf(entries) < end) {
    const page = await log.pages.read(lastOf(entries));
    // Entries written in the meantime are left to the next read.
    if (end === Infinity) end = page.lastSeq;
    for (const entry of page.entries) entries.push(entry);
    await log.pages.breathe();
  }
}

function lastOf(entries: readonly StoredEntry[]): number {
  return entries.at(-1)?.seq ?? 0;
}
