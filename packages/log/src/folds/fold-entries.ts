/** Folds of what a store holds. */
import type { Entry, NewEntry, StoredEntry } from "../entries/entries.ts";
import { parseEntry } from "../entries/parse-entry.ts";
import { SessionFold } from "./session-fold.ts";

/** The state behind these entries, which are a log from its beginning. */
export function foldEntries(stored: readonly StoredEntry[]): SessionFold {
  const fold = new SessionFold();
  applyStored(fold, stored);
  return fold;
}

/** The state of a session that begins with these entries. */
export function foldNew(entries: readonly NewEntry[]): SessionFold {
  return foldEntries(entries.map((entry, index): StoredEntry => ({ ...entry, seq: index + 1 })));
}

/**
 * Goes on with entries that follow, in order. Those that the fold has are passed over, so reads may overlap. On a corrupt entry the fold
 * stays as it was before that one.
 */
export function applyStored(fold: SessionFold, stored: readonly StoredEntry[]): void {
  for (const { seq, entry } of parseEntries(stored)) {
    if (seq <= fold.seq) continue;
    if (entry === undefined) fold.skip(seq);
    else fold.apply(entry);
  }
}

/** Each with its place, one at a time; without an entry where only a newer program understands it. */
export function* parseEntries(
  stored: Iterable<StoredEntry>,
): Generator<{ readonly seq: number; readonly entry: Entry | undefined }> {
  for (const each of stored) yield { seq: each.seq, entry: parseEntry(each) };
}
