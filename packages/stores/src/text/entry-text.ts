/** Entries as text with a checksum, and back. */
import { crc32 } from "node:zlib";
import type { NewEntry, StoredEntry } from "@capstan/log";
import { checkEnvelope, checkEnvelopes, invalidEntry, LogError } from "@capstan/log";

export interface EntryText {
  readonly id: string;
  /** One line of JSON: control characters are escaped in it, NUL among them, and so are halves of surrogate pairs. */
  readonly text: string;
}

/** Fails with `invalid_entry`. */
export function toEntryTexts(sessionId: string, entries: readonly NewEntry[]): EntryText[] {
  checkEnvelopes(sessionId, entries);
  return entries.map((entry) => ({ id: entry.id, text: toText(sessionId, entry) }));
}

/** The same for one. */
export function toEntryText(sessionId: string, entry: NewEntry): EntryText {
  checkEnvelope(sessionId, entry);
  return { id: entry.id, text: toText(sessionId, entry) };
}

function toText(sessionId: string, entry: NewEntry): string {
  try {
    return JSON.stringify(entry);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw invalidEntry(sessionId, `it is not JSON (${why})`);
  }
}

/** CRC-32 of an entry as it is stored: a flipped bit anywhere in it gives another. */
export function checksumOf(text: string | Uint8Array): number {
  return crc32(text);
}

/** Fails with `corrupt_entry` if it is not the text that was written. Older entries have no checksum, and are taken as they are. */
export function checkSum(
  text: string | Uint8Array,
  seq: number,
  checksum: number | null | undefined,
): void {
  if (checksum === undefined || checksum === null || checksumOf(text) === checksum) return;
  throw corrupt(seq, "does not fit its checksum", undefined);
}

/** The place that the store gave counts, also if the writer had foreseen another. */
export function toEntry(text: string, seq: number): StoredEntry {
  const entry = parse(text, seq);
  entry.seq = seq;
  return entry;
}

/** Fresh from the parser, and nobody else's yet. */
type Parsed = { -readonly [Field in keyof StoredEntry]: StoredEntry[Field] };

function parse(text: string, seq: number): Parsed {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw corrupt(seq, "is not JSON any more", cause);
  }
  if (typeof parsed !== "object" || parsed === null)
    throw corrupt(seq, "is not JSON any more", undefined);
  // Its envelope was checked before it was written.
  return parsed as Parsed;
}

function corrupt(seq: number, fault: string, cause: unknown): LogError {
  const message = `Entry ${seq} ${fault}: the store was damaged, or changed by something else. Bring back a copy of it, or repair the session (host.repair, capstan sessions repair)`;
  return new LogError("corrupt_entry", { seq, id: "" }, message, { cause });
}
