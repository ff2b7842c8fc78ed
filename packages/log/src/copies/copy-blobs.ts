/** Blobs on their way to another session: entries name them, and another store may give them other names. */
import type { KeptOutput } from "@capstan/kernel";
import type { NewEntry, StoredEntry } from "../entries/entries.ts";
import { foldEntries } from "../folds/fold-entries.ts";
import type { SessionHead, SessionRepository } from "../repository/repository.ts";

/** A blob, as the entries of a copy name it. */
export interface NamedBlob {
  readonly blob: string;
  readonly bytes: Uint8Array;
}

/** The blobs that an entry names. */
export function blobsOf(entry: StoredEntry | NewEntry): readonly string[] {
  return holdersOf(entry).flatMap(({ kept }) => (typeof kept?.blob === "string" ? kept.blob : []));
}

/** All that these entries name and the session has, each once. */
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
      // One that is lost there is not to be had here.
      if (bytes !== undefined) yield { blob, bytes };
    }
  }
}

export interface SessionCopy {
  readonly id: string;
  readonly entries: readonly NewEntry[];
  readonly head: SessionHead;
  readonly blobs: Iterable<NamedBlob> | AsyncIterable<NamedBlob>;
}

/** For the one append of a copy. */
const leaseMs = 60_000;

/**
 * Begins a session with entries and the blobs that they name. Blobs need a session and come before the entries that name them: with blobs the first
 * entry comes alone. Nothing is left of a copy that fails; of one whose process dies, a session in which nothing was said may be.
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
    // Nobody else knows that it is there.
    if (claim === undefined) throw new Error(`Session "${id}" is worked on before it is whole`);
    const rest = entries.slice(1).map((entry) => withNames(entry, names));
    await repository.append(id, rest, { lease: claim.lease, head });
    await repository.release(claim.lease);
  } catch (thrown) {
    const remove = async (): Promise<void> => repository.delete(id);
    // Why it failed is what matters.
    await remove().catch(() => {});
    throw thrown;
  }
}

interface Holder {
  readonly kept?: Partial<KeptOutput> | undefined;
}

/** What of an entry may name a blob. Nobody has looked into it yet. */
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
