/** Folds of stored entries. */
import type { Entry, NewEntry, StoredEntry } from "../entries/entries.ts";
import { parseEntry } from "../entries/parse-entry.ts";
import { SessionFold } from "./session-fold.ts";

/** State after these entries, which are a log from its beginning. */
export function foldEntries(stored: readonly StoredEntry[]): SessionFold {
  const fold = new SessionFold();
  applyStored(fold, stored);
  return fold;
}

/** State of a session that begins with these entries. */
export function foldNew(entries: readonly NewEntry[]): SessionFold {
  return foldEntries(entries.map((entry, index): StoredEntry => ({ ...entry, seq: index + 1 })));
}

/**
 * Applies the entries that follow, in order. Entries that the fold has are skipped, so reads may overlap. On a corrupt entry the fold stays
 * in the state before it.
 */
export function applyStored(fold: SessionFold, stored: readonly StoredEntry[]): void {
  for (const { seq, entry } of parseEntries(stored)) {
    if (seq <= fold.seq) continue;
    if (entry === undefined) fold.skip(seq);
    else fold.apply(entry);
  }
}

/** Yields each entry with its seq, one at a time; without the entry if only a newer program understands it. */
export function* parseEntries(
  stored: Iterable<StoredEntry>,
): Generator<{ readonly seq: number; readonly entry: Entry | undefined }> {
  for (const each of stored) yield { seq: each.seq, entry: parseEntry(each) };
}
