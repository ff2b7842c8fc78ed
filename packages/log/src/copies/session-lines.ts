/** A session as lines of JSON, one for each entry and each blob: for files, pipes and other stores. */
import { fromBase64, toBase64 } from "./base64.ts";
import type { NamedBlob } from "./copy-blobs.ts";
import { blobsOf, createCopy } from "./copy-blobs.ts";
import type { NewEntry, StoredEntry } from "../entries/entries.ts";
import { foldNew } from "../folds/fold-entries.ts";
import type { ImportOrigin } from "./import-log.ts";
import { importLog, restoreLog } from "./import-log.ts";
import { LogError } from "../entries/log-error.ts";
import type { SessionRepository } from "../repository/repository.ts";
import { RepositoryError } from "../repository/repository.ts";
import { sessionGone } from "../repository/repository-failures.ts";

/**
 * Exports from the first entry to the last one that exists when the end is reached; a blob precedes the first entry that names it. Fails
 * with `not_found`.
 */
export async function* exportSession(
  repository: SessionRepository,
  id: string,
): AsyncGenerator<string> {
  yield* exportEntries(repository, id, readOn(repository, id));
}

/** Exports some entries of the session, for example the readable ones of a damaged session. */
export async function* exportEntries(
  repository: SessionRepository,
  id: string,
  entries: Iterable<StoredEntry> | AsyncIterable<StoredEntry>,
): AsyncGenerator<string> {
  const exported = new Set<string>();
  for await (const entry of entries) {
    for (const blob of blobsOf(entry)) {
      const bytes = exported.has(blob) ? undefined : await repository.getBlob(id, blob);
      exported.add(blob);
      if (bytes !== undefined) yield JSON.stringify({ blob, data: toBase64(bytes) });
    }
    yield JSON.stringify(entry);
  }
}

async function* readOn(repository: SessionRepository, id: string): AsyncGenerator<StoredEntry> {
  let exporting: string | undefined;
  for (let after = 0; ;) {
    const { entries, lastSeq, incarnation } = await repository.read(id, { after });
    exporting ??= incarnation;
    if (incarnation !== exporting) throw sessionGone(id);
    if (isMisread(entries, after)) throw misread(id, after);
    yield* entries;
    after = entries.at(-1)?.seq ?? after;
    if (entries.length === 0 || after >= lastSeq) return;
  }
}

/** True if these are not the following entries, in order and without a gap. */
function isMisread(entries: readonly StoredEntry[], after: number): boolean {
  return entries.some(({ seq }, index) => seq !== after + 1 + index);
}

function misread(id: string, after: number): RepositoryError {
  const message = `The store returned wrong entries after entry ${after} of session "${id}": it violates storeContract`;
  return new RepositoryError("unavailable", id, message);
}

interface NewCopy {
  /** Id of the new session. */
  readonly id: string;
  /** Distinguishes the new session from every other one, including an earlier one with this id. Default random. */
  readonly incarnation?: string;
  readonly now: number;
}

/**
 * Lines from any source are imported into a session of this origin: messages are kept, nothing of them runs. One's own lines, exported by
 * this program or one that it trusts, may be restored with unfinished work; a line cannot state that it is trusted.
 */
export type ImportOptions = NewCopy &
  (
    | { readonly origin: ImportOrigin; readonly trust?: undefined }
    | { readonly trust: "own"; readonly origin?: undefined }
  );

/**
 * Creates a session from the lines of `exportSession`, under any id. With `trust: "own"` unfinished work continues here, and in the exported
 * session as well: export a session at rest. Fails with `exists`; with a `LogError` for a line that is not an entry, or not the next one.
 */
export async function importSession(
  repository: SessionRepository,
  lines: Iterable<string> | AsyncIterable<string>,
  options: ImportOptions,
): Promise<void> {
  const stored: StoredEntry[] = [];
  const blobs: NamedBlob[] = [];
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const parsed = parseLine(line, stored.length + 1);
    if (parsed.type === "blob") blobs.push(parsed.named);
    else stored.push(parsed.entry);
  }
  const entries = toEntries(stored, blobs, options);
  const head = foldNew(entries).head(options.now);
  await createCopy(repository, { id: options.id, entries, head, blobs });
}

function toEntries(
  stored: readonly StoredEntry[],
  blobs: readonly NamedBlob[],
  options: ImportOptions,
): readonly NewEntry[] {
  const { now, incarnation = crypto.randomUUID() } = options;
  if (options.trust === "own") return restoreLog(stored, { incarnation, now });
  const { origin } = options;
  const names = blobs.map(({ blob }) => blob);
  return importLog(stored, { origin, incarnation, now, blobs: names }).entries;
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
  // Its other fields are checked when it is folded and stored.
  const entry = parsed as StoredEntry | null;
  if (entry?.seq !== seq) throw corrupt(seq, "is not the next entry");
  return { type: "entry", entry };
}

function toBlob(blob: string, data: unknown, seq: number): NamedBlob {
  try {
    if (typeof data === "string") return { blob, bytes: fromBase64(data) };
  } catch (cause) {
    throw corrupt(seq, `follows the blob "${blob}", which is not Base64`, cause);
  }
  throw corrupt(seq, `follows the blob "${blob}", which has no data`);
}

function corrupt(seq: number, why: string, cause?: unknown): LogError {
  const message = `Line ${seq} of the exported session ${why}: export it again`;
  return new LogError("corrupt_entry", { seq, id: "" }, message, { cause });
}
