/** Both edges of the log: parses stored entries of any version to today's entries, and checks entries that are to be written. */
import { entryVersion } from "./entries.ts";
import type { Entry, NewEntry, StoredEntry } from "./entries.ts";
import { invalidEntry } from "./entry-envelope.ts";
import { isKnownType, newShapeFault, shapeFault } from "./entry-shapes.ts";
import { LogError } from "./log-error.ts";
import { upcasts } from "./upcasts.ts";
import type { Upcasts } from "./upcasts.ts";

/**
 * Parses a stored entry, upcast to the current version. Undefined for an entry that only a newer program
 * understands: it stays in the log, and folds skip it. Throws a `LogError` for an invalid entry of a known type.
 * The entry is checked, not copied.
 */
export function parseEntry(
  stored: StoredEntry,
  table: Upcasts = upcasts,
  version: number = entryVersion,
): Entry | undefined {
  if (!Number.isInteger(stored.v) || stored.v < 1) throw corrupt(stored, "v is not a version");
  if (stored.v > version) return undefined;
  const current = stored.v === version ? stored : upcast(stored, table, version);
  if (!isKnownType(current.type)) return undefined;
  const fault = shapeFault(current, current.type);
  if (fault !== undefined) throw corrupt(stored, fault);
  // The type is known and the fields match it.
  return current as unknown as Entry;
}

/**
 * Fails with `invalid_entry` for the first entry that `parseEntry` would refuse: it must not reach a store, because the session could not be
 * opened again. Entries of other versions and unknown types come from other logs, and are not checked.
 */
export function checkEntries(sessionId: string, entries: readonly NewEntry[]): void {
  for (const entry of entries) checkEntry(sessionId, entry);
}

/** Like `checkEntries`, for one entry. */
export function checkEntry(sessionId: string, entry: NewEntry): void {
  if (entry.v !== entryVersion) return;
  const fault = newShapeFault(entry);
  if (fault === undefined) return;
  throw invalidEntry(sessionId, `its ${fault} (${entry.type}, "${entry.id}")`);
}

function upcast(stored: StoredEntry, table: Upcasts, version: number): StoredEntry {
  let entry = stored;
  for (let v = stored.v; v < version; v += 1) {
    const step = table[entry.type]?.[v];
    try {
      entry = { ...(step === undefined ? entry : step(entry)), v: v + 1 };
    } catch (cause) {
      throw corrupt(stored, `fields cannot be converted from version ${v} to ${v + 1}`, { cause });
    }
  }
  return entry;
}

function corrupt(stored: StoredEntry, fault: string, options?: ErrorOptions): LogError {
  const { seq, id, type } = stored;
  return new LogError(
    "corrupt_entry",
    { seq, id },
    `Entry ${seq} ("${id}", ${type}) is corrupt: its ${fault}. The session cannot be read past this entry; ` +
      `restore it from a copy, or make a repaired copy from the entries before it (host.repair, capstan sessions repair).`,
    options,
  );
}
