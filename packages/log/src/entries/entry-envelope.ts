/** What a store demands of an entry: an envelope that can be read back, whatever is inside. */
import type { NewEntry } from "./entries.ts";
import { RepositoryError } from "../repository/repository.ts";

/** Fails with `invalid_entry` for the first that is not an entry, or that has the id of one before it in the list. */
export function checkEnvelopes(sessionId: string, entries: readonly NewEntry[]): void {
  for (const entry of entries) checkEnvelope(sessionId, entry);
  if (entries.length < 2) return;
  const again = entries.length < few ? repeatedOfFew(entries) : repeatedOf(entries);
  if (again !== undefined)
    throw invalidEntry(sessionId, `two of one append have the id "${again}"`);
}

/** Almost every append is of two or three: to compare them takes less than to make a set. */
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

/** The parameter is wider than the types say: what comes here may have been parsed from a request. */
export function checkEnvelope(sessionId: string, entry: unknown): void {
  if (typeof entry !== "object" || entry === null) {
    throw wrongKind(sessionId, "it", "an object", entry);
  }
  // Nothing is believed of the fields: each is looked at below.
  const { type, id, v, at } = entry as Readonly<Record<string, unknown>>;
  if (typeof type !== "string") throw wrongKind(sessionId, "its type", "a string", type);
  if (typeof id !== "string") throw wrongKind(sessionId, "its id", "a string", id);
  // NaN and the infinities are numbers that JSON does not have.
  if (!Number.isFinite(v)) throw wrongKind(sessionId, "its v", "a number", v);
  if (!Number.isFinite(at)) throw wrongKind(sessionId, "its at", "a number", at);
}

export function invalidEntry(sessionId: string, why: string): RepositoryError {
  return new RepositoryError(
    "invalid_entry",
    sessionId,
    `An entry for session "${sessionId}" was refused: ${why}`,
  );
}

/** Says the kind and not the value: what is posted may be long, or private. */
function wrongKind(
  sessionId: string,
  what: string,
  wanted: string,
  found: unknown,
): RepositoryError {
  const kind = typeof found === "number" || found === null ? String(found) : typeof found;
  return invalidEntry(sessionId, `${what} must be ${wanted}, not ${kind}`);
}
