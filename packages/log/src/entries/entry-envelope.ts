/** Checks that a store makes of an entry: an envelope that can be read back, whatever is inside. */
import type { NewEntry } from "./entries.ts";
import { RepositoryError } from "../repository/repository.ts";

/** Fails with `invalid_entry` for the first value that is not an entry, or that has the id of an earlier one in the list. */
export function checkEnvelopes(sessionId: string, entries: readonly NewEntry[]): void {
  for (const entry of entries) checkEnvelope(sessionId, entry);
  if (entries.length < 2) return;
  const again = entries.length < few ? repeatedOfFew(entries) : repeatedOf(entries);
  if (again !== undefined)
    throw invalidEntry(sessionId, `two entries of one append have the id "${again}"`);
}

/** Almost every append has two or three entries: comparing them is cheaper than creating a set. */
const few = 8;

function repeatedOfFew(entries: readonly NewEntry[]): string | undefined {
  for (let i = 1; i < entries.length; i++) {
    for (let k = 0; k < i; k++) if (entries[i]?.id === entries[k]?.id) return entries[i]?.id;
  }
  return undefined;
}

function repeatedOf(entries: readonly NewEntry[]): string | undefined {
  const ids = new Set<string>();
  return entries.find(({ id }) => ids.size === ids.add(id).size)?.id;
}

/** The parameter is wider than the types: the value may have been parsed from a request. */
export function checkEnvelope(sessionId: string, entry: unknown): void {
  if (typeof entry !== "object" || entry === null) {
    throw wrongKind(sessionId, "it", "an object", entry);
  }
  // The fields are untrusted: each is checked below.
  const { type, id, v, at } = entry as Readonly<Record<string, unknown>>;
  if (typeof type !== "string") throw wrongKind(sessionId, "its type", "a string", type);
  if (typeof id !== "string") throw wrongKind(sessionId, "its id", "a string", id);
  // JSON has no NaN and no infinities.
  if (!Number.isFinite(v)) throw wrongKind(sessionId, "its v", "a number", v);
  if (!Number.isFinite(at)) throw wrongKind(sessionId, "its at", "a number", at);
}

/** Creates the error of a store that refuses an entry. */
export function invalidEntry(sessionId: string, why: string): RepositoryError {
  return new RepositoryError(
    "invalid_entry",
    sessionId,
    `An entry for session "${sessionId}" was refused: ${why}`,
  );
}

/** Names the kind, not the value: posted values may be long, or private. */
function wrongKind(
  sessionId: string,
  what: string,
  wanted: string,
  found: unknown,
): RepositoryError {
  const kind = typeof found === "number" || found === null ? String(found) : typeof found;
  return invalidEntry(sessionId, `${what} must be ${wanted}, not ${kind}`);
}
