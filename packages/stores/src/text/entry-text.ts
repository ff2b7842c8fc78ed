/** Encodes entries as text with a checksum, and decodes them. */
import type { NewEntry, PostedEntry, PostOptions, StoredEntry } from "@capstan/log";
import { checkEnvelope, checkEnvelopes, invalidEntry, LogError } from "@capstan/log";

export interface EntryText {
  readonly id: string;
  /** One line of JSON: control characters, including NUL, and lone surrogates are escaped. */
  readonly text: string;
}

/** Fails with `invalid_entry`. */
export function toEntryTexts(sessionId: string, entries: readonly NewEntry[]): EntryText[] {
  checkEnvelopes(sessionId, entries);
  return entries.map((entry) => ({ id: entry.id, text: toText(sessionId, entry) }));
}

/** Like `toEntryTexts`, for one entry. */
function toEntryText(sessionId: string, entry: NewEntry): EntryText {
  checkEnvelope(sessionId, entry);
  return { id: entry.id, text: toText(sessionId, entry) };
}

/** An entry to post, and the entries of the start that it brings. */
export interface PostTexts {
  readonly entry: EntryText;
  readonly started: readonly EntryText[];
}

/** Likewise, for a post with its start. */
export function toPostTexts(
  sessionId: string,
  entry: PostedEntry,
  { start }: PostOptions,
): PostTexts {
  const text = toEntryText(sessionId, entry);
  if (start === undefined) return { entry: text, started: none };
  return { entry: text, started: toEntryTexts(sessionId, start.entries) };
}

const none: readonly EntryText[] = [];

function toText(sessionId: string, entry: NewEntry): string {
  try {
    return JSON.stringify(entry);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw invalidEntry(sessionId, `it is not JSON (${why})`);
  }
}

/** CRC-32. Runtimes other than Node do not have it built in. */
export type ChecksumOf<T extends string | Uint8Array> = (text: T) => number;

/** Fails with `corrupt_entry` if the text has changed since it was written. Older entries have no checksum, and are not checked. */
export function checkSum<T extends string | Uint8Array>(
  text: T,
  seq: number,
  checksum: number | null | undefined,
  checksumOf: ChecksumOf<T>,
): void {
  if (checksum === undefined || checksum === null || checksumOf(text) === checksum) return;
  throw corrupt(seq, "does not match its checksum", undefined);
}

/** Sets the seq that the store assigned, even if the writer expected another. */
export function toEntry(text: string, seq: number): StoredEntry {
  const entry = parse(text, seq);
  entry.seq = seq;
  return entry;
}

/** Fresh from the parser, not shared yet. */
type Parsed = { -readonly [Field in keyof StoredEntry]: StoredEntry[Field] };

function parse(text: string, seq: number): Parsed {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw corrupt(seq, "is no longer valid JSON", cause);
  }
  if (typeof parsed !== "object" || parsed === null)
    throw corrupt(seq, "is no longer valid JSON", undefined);
  // The envelope was checked before it was written.
  return parsed as Parsed;
}

function corrupt(seq: number, fault: string, cause: unknown): LogError {
  const message = `Entry ${seq} ${fault}: the store was damaged, or changed by another program. Restore it from a backup, or repair the session (host.repair, capstan sessions repair)`;
  return new LogError("corrupt_entry", { seq, id: "" }, message, { cause });
}
