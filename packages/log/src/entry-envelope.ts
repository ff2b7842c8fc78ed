/** What a store demands of an entry: an envelope that can be read back, whatever is inside. */
import type { NewEntry } from "./entries.ts";
import { RepositoryError } from "./repository.ts";

/** Fails with `invalid_entry` for the first that is not an entry, or that has the id of one before it in the list. */
export function checkEnvelopes(sessionId: string, entries: readonly NewEntry[]): void {
  for (const entry of entries) checkEnvelope(sessionId, entry);
  if (entries.length < 2) return;
  const ids = new Set<string>();
  for (const { id } of entries) {
    if (ids.has(id)) throw invalidEntry(sessionId, `two of one append have the id "${id}"`);
    ids.add(id);
  }
}

/** The parameter is wider than the types say: what comes here may have been parsed from a request. */
export function checkEnvelope(sessionId: string, entry: unknown): void {
  if (typeof entry !== "object" || entry === null) {
    throw invalidEntry(sessionId, `it is ${entry === null ? "null" : `a ${typeof entry}`}`);
  }
  // Nothing is believed of the fields: each is looked at below.
  const { type, id, v, at } = entry as Readonly<Record<string, unknown>>;
  if (typeof type !== "string") throw invalidEntry(sessionId, "its type is not a string");
  if (typeof id !== "string") throw invalidEntry(sessionId, "its id is not a string");
  // NaN and the infinities are numbers that JSON does not have.
  if (!Number.isFinite(v)) throw invalidEntry(sessionId, "its v is not a number");
  if (!Number.isFinite(at)) throw invalidEntry(sessionId, "its at is not a number");
}

export function invalidEntry(sessionId: string, why: string): RepositoryError {
  return new RepositoryError(
    "invalid_entry",
    sessionId,
    `An entry for session "${sessionId}" was refused: ${why}`,
  );
}
