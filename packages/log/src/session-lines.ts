/** A session as lines of JSON, one for each entry and each blob: for files, pipes and other stores. */
import { fromBase64, toBase64 } from "./base64.ts";
import type { NamedBlob } from "./copy-blobs.ts";
import { blobsOf, createCopy } from "./copy-blobs.ts";
import { copyLog } from "./copy-log.ts";
import type { StoredEntry } from "./entries.ts";
import { foldEntries } from "./fold-entries.ts";
import { LogError } from "./log-error.ts";
import type { SessionRepository } from "./repository.ts";

/**
 * From the first entry to the last that is there when it comes to the end; a blob comes before the first entry that names it. Fails with
 * `not_found`.
 */
export async function* exportSession(
  repository: SessionRepository,
  id: string,
): AsyncGenerator<string> {
  const exported = new Set<string>();
  for (let after = 0; ;) {
    const { entries, lastSeq } = await repository.read(id, { after });
    for (const entry of entries) {
      for (const blob of blobsOf(entry)) {
        const bytes = exported.has(blob) ? undefined : await repository.getBlob(id, blob);
        exported.add(blob);
        if (bytes !== undefined) yield JSON.stringify({ blob, data: toBase64(bytes) });
      }
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
  const blobs: NamedBlob[] = [];
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const parsed = parseLine(line, stored.length + 1);
    if (parsed.type === "blob") blobs.push(parsed.named);
    else stored.push(parsed.entry);
  }
  const entries = copyLog(stored);
  // As the store will have them.
  const fold = foldEntries(entries.map((entry, i): StoredEntry => ({ ...entry, seq: i + 1 })));
  await createCopy(repository, { id, entries, head: fold.head(now), blobs });
}

type Line =
  | { readonly type: "entry"; readonly entry: StoredEntry }
  | { readonly type: "blob"; readonly named: NamedBlob };

function parseLine(line: string, seq: number): Line {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (cause) {
    throw corrupt(seq, "is not JSON", cause);
  }
  const kept = parsed as { readonly blob?: unknown; readonly data?: unknown } | null;
  if (typeof kept?.blob === "string") {
    return { type: "blob", named: toBlob(kept.blob, kept.data, seq) };
  }
  // Its other fields are looked at by whoever folds and stores it.
  const entry = parsed as StoredEntry | null;
  if (entry?.seq !== seq) throw corrupt(seq, "is not the entry that should come next");
  return { type: "entry", entry };
}

function toBlob(blob: string, data: unknown, seq: number): NamedBlob {
  try {
    if (typeof data === "string") return { blob, bytes: fromBase64(data) };
  } catch (cause) {
    throw corrupt(seq, `comes behind the blob "${blob}", which is not Base64`, cause);
  }
  throw corrupt(seq, `comes behind the blob "${blob}", which has no data`);
}

function corrupt(seq: number, why: string, cause?: unknown): LogError {
  const message = `Line ${seq} of the exported session ${why}: export it again`;
  return new LogError("corrupt_entry", { seq, id: "" }, message, { cause });
}
