/** A session as lines of JSON, one for each entry: for files, pipes and other stores. Blobs do not go along. */
import { copyLog } from "./copy-log.ts";
import type { StoredEntry } from "./entries.ts";
import { foldEntries } from "./fold-entries.ts";
import { LogError } from "./log-error.ts";
import type { SessionRepository } from "./repository.ts";

/** From the first entry to the last that is there when it comes to the end. Fails with `not_found`. */
export async function* exportSession(
  repository: SessionRepository,
  id: string,
): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const { entries, lastSeq } = await repository.read(id, { after });
    for (const entry of entries) {
      yield JSON.stringify(entry);
      after = entry.seq;
    }
    if (entries.length === 0 || after >= lastSeq) return;
  }
}

export interface ImportOptions {
  /** Of the new session. */
  readonly id: string;
  /** On the clock of whoever imports. */
  readonly now: number;
}

/**
 * Begins a session with what `exportSession` gave, under any id. What was unfinished goes on where it is imported, and where it came from
 * as well: export what rests. Fails with `exists`; with a `LogError` for a line that is no entry, or not the next one.
 */
export async function importSession(
  repository: SessionRepository,
  lines: Iterable<string> | AsyncIterable<string>,
  { id, now }: ImportOptions,
): Promise<void> {
  const stored: StoredEntry[] = [];
  for await (const line of lines) {
    if (line.trim() !== "") stored.push(parseLine(line, stored.length + 1));
  }
  const entries = copyLog(stored);
  // As the store will have them.
  const fold = foldEntries(entries.map((entry, i): StoredEntry => ({ ...entry, seq: i + 1 })));
  await repository.create(id, entries, fold.head(now));
}

function parseLine(line: string, seq: number): StoredEntry {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (cause) {
    throw corrupt(seq, "is not JSON", cause);
  }
  // Its other fields are looked at by whoever folds and stores it.
  const entry = parsed as StoredEntry | null;
  if (entry?.seq !== seq) throw corrupt(seq, "is not the entry that should come next");
  return entry;
}

function corrupt(seq: number, why: string, cause?: unknown): LogError {
  const message = `Line ${seq} of the exported session ${why}: export it again`;
  return new LogError("corrupt_entry", { seq, id: "" }, message, { cause });
}
