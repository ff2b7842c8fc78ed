/** Copies blobs to another session: entries name them, and another store may name them differently. */
import type { KeptOutput } from "@capstan/kernel";
import type { NewEntry, StoredEntry } from "../entries/entries.ts";
import { foldEntries } from "../folds/fold-entries.ts";
import type { SessionHead, SessionRepository } from "../repository/repository.ts";

/** A blob, under the name that the entries of a copy use. */
export interface NamedBlob {
  readonly blob: string;
  readonly bytes: Uint8Array;
}

/** Names of the blobs that an entry refers to. */
export function blobsOf(entry: StoredEntry | NewEntry): readonly string[] {
  return holdersOf(entry).flatMap(({ kept }) => (typeof kept?.blob === "string" ? kept.blob : []));
}

/** Yields all blobs that these entries name and the session has, each once. */
export async function* readBlobs(
  repository: SessionRepository,
  id: string,
  entries: Iterable<StoredEntry | NewEntry>,
): AsyncGenerator<NamedBlob> {
  const read = new Set<string>();
  for (const entry of entries) {
    for (const blob of blobsOf(entry)) {
      if (read.has(blob)) continue;
      read.add(blob);
      const bytes = await repository.getBlob(id, blob);
      // A blob that the original has lost is not available for the copy either.
      if (bytes !== undefined) yield { blob, bytes };
    }
  }
}

/** A session that is to be stored under a new id: its entries, its head and its blobs. */
export interface SessionCopy {
  readonly id: string;
  readonly entries: readonly NewEntry[];
  readonly head: SessionHead;
  readonly blobs: Iterable<NamedBlob> | AsyncIterable<NamedBlob>;
}

/** Duration of the lease for the one append of a copy. */
const leaseMs = 60_000;

/**
 * Creates a session with entries and the blobs that they name. Blobs need a session and are stored before the entries that name them: if
 * there are blobs, the first entry is stored alone. A failed copy leaves nothing; if its process dies, a session without messages may
 * remain.
 */
export async function createCopy(repository: SessionRepository, copy: SessionCopy): Promise<void> {
  const { id, entries, head } = copy;
  const first = entries[0];
  const hasBlobs = entries.some((entry) => blobsOf(entry).length > 0);
  if (!hasBlobs || first === undefined) return repository.create(id, entries, head);
  await repository.create(id, [first], foldEntries([{ ...first, seq: 1 }]).head(head.updatedAt));
  try {
    const names = new Map<string, string>();
    for await (const { blob, bytes } of copy.blobs) {
      names.set(blob, await repository.putBlob(id, bytes));
    }
    const claim = await repository.acquire(id, `copy-${id}`, leaseMs);
    // No other process knows the session yet.
    if (claim === undefined)
      throw new Error(`Session "${id}" has another owner before its copy is complete`);
    const rest = entries.slice(1).map((entry) => withNames(entry, names));
    await repository.append(id, rest, { lease: claim.lease, head });
    await repository.release(claim.lease);
  } catch (thrown) {
    const remove = async (): Promise<void> => repository.delete(id);
    // The original error is what matters.
    await remove().catch(() => {});
    throw thrown;
  }
}

interface Holder {
  readonly kept?: Partial<KeptOutput> | undefined;
}

/** Values of an entry that may name a blob. They have not been validated yet. */
function holdersOf(entry: StoredEntry | NewEntry): readonly Holder[] {
  const { type, result, messages } = entry as {
    readonly type: string;
    readonly result?: Holder | null;
    readonly messages?: readonly (Holder | null)[];
  };
  const holders = type === "tool_result" ? [result] : type === "history_loaded" ? messages : [];
  return Array.isArray(holders)
    ? holders.filter((holder): holder is Holder => isObject(holder))
    : [];
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function withNames(entry: NewEntry, names: ReadonlyMap<string, string>): NewEntry {
  if (blobsOf(entry).every((blob) => (names.get(blob) ?? blob) === blob)) return entry;
  const rename = <T extends Holder>(holder: T): T => {
    const blob = names.get(holder.kept?.blob ?? "");
    return blob === undefined ? holder : { ...holder, kept: { ...holder.kept, blob } };
  };
  if (entry.type === "tool_result") return { ...entry, result: rename(entry.result) };
  if (entry.type !== "history_loaded") return entry;
  const { messages } = entry;
  return {
    ...entry,
    messages: messages.map((message) => (message.role === "tool" ? rename(message) : message)),
  };
}
