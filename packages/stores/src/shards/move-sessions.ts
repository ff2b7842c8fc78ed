/** Moves sessions to the databases where they belong, after the list of databases has changed. */
import type { Lease, ListedSession, SessionRepository, StoredEntry } from "@capstan/log";
import { exportSession, importSession, LogError, RepositoryError } from "@capstan/log";
import { shardOf } from "./rendezvous.ts";
import type { Shard } from "./shard.ts";

export interface Move {
  /** Databases before the change, and after it: one of the same name in both is the same. */
  readonly from: readonly Shard[];
  readonly to: readonly Shard[];
  /** Stops between two sessions. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each session that has moved. */
  readonly onMoved?: ((sessionId: string) => void) | undefined;
  /** How long to wait for the lease of a process that may be dead. Default 15,000, longer than leases last by default. */
  readonly patienceMs?: number;
}

/** Keeps hosts and other movers away from a session while it is copied. Short, because the next mover waits for it if this one is killed. */
const leaseMs = 3_000;
const pageSize = 200;

/** Returns the number of sessions that have moved. Fails if a database is away: a list of all of them would leave out its sessions. */
export async function moveAll(move: Move): Promise<number> {
  const { from, to, signal, onMoved, patienceMs = 15_000 } = move;
  let moved = 0;
  for (const source of from) {
    for await (const { id, head } of sessionsIn(source.store)) {
      signal?.throwIfAborted();
      const target = shardOf(to, id);
      if (shardOf(from, id) !== source || target.name === source.name) continue;
      const lease = await claim(source.store, id, patienceMs);
      await moveOne(source.store, target.store, lease, head.updatedAt);
      moved += 1;
      onMoved?.(id);
    }
  }
  return moved;
}

async function* sessionsIn(store: SessionRepository): AsyncGenerator<ListedSession> {
  let after: string | undefined;
  do {
    const page = await store.list({ limit: pageSize, ...(after !== undefined && { after }) });
    yield* page.sessions;
    after = page.next;
  } while (after !== undefined);
}

async function claim(store: SessionRepository, id: string, patienceMs: number): Promise<Lease> {
  const owner = `move-${crypto.randomUUID()}`;
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    const claimed = await store.acquire(id, owner, leaseMs);
    if (claimed !== undefined) return claimed.lease;
    if (performance.now() >= endsAt) throw inUse(id);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function moveOne(
  from: SessionRepository,
  to: SessionRepository,
  lease: Lease,
  updatedAt: number,
): Promise<void> {
  const id = lease.sessionId;
  const stopRenewing = keepRenewing(from, lease);
  try {
    const original = await readAll(from, id);
    const copy = await readCopy(to, id);
    // An interrupted move has left it, or hosts have continued it since.
    if (!isCopy(copy, original)) {
      if (isUsed(copy, original)) throw twice(id);
      await to.delete(id);
      const lines = await Array.fromAsync(exportSession(from, id));
      // Its age is its position in lists.
      await importSession(to, lines, { id, now: updatedAt, trust: "own" });
    }
    const { lastSeq } = await from.read(id, { after: original.length });
    if (lastSeq > original.length) throw inUse(id);
    // Fails if another process has the session by now, because the lease could not be renewed in time.
    await from.renew(lease, leaseMs);
    await from.delete(id);
  } catch (thrown) {
    await giveBack(from, lease);
    throw thrown instanceof LogError ? damaged(id, thrown) : thrown;
  } finally {
    stopRenewing();
  }
}

async function giveBack(store: SessionRepository, lease: Lease): Promise<void> {
  try {
    await store.release(lease);
  } catch {
    // Then it expires. The first error is what matters.
  }
}

function keepRenewing(store: SessionRepository, lease: Lease): () => void {
  const renew = async (): Promise<void> => store.renew(lease, leaseMs);
  const onTime = (): void => {
    // The renewal before the deletion fails as well.
    renew().catch(() => {});
  };
  const renewing = setInterval(onTime, leaseMs / 3).unref();
  return () => clearInterval(renewing);
}

async function readAll(store: SessionRepository, id: string): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (;;) {
    const page = await store.read(id, { after: entries.length });
    entries.push(...page.entries);
    if (page.entries.length === 0 || entries.length >= page.lastSeq) return entries;
  }
}

/** Empty if there is no session of this id. */
async function readCopy(store: SessionRepository, id: string): Promise<StoredEntry[]> {
  try {
    return await readAll(store, id);
  } catch (thrown) {
    if (thrown instanceof RepositoryError && thrown.code === "not_found") return [];
    throw thrown;
  }
}

/** Whether it has all entries of the original, and perhaps more. Either may have been made from the other, which leaves out checkpoints. */
function isCopy(copy: readonly StoredEntry[], original: readonly StoredEntry[]): boolean {
  const kept = copy.filter(isCopied);
  return original.filter(isCopied).every((entry, index) => isSame(entry, kept[index]));
}

function isCopied({ type }: StoredEntry): boolean {
  return type !== "checkpoint";
}

/** Entries of an owner have other ids in a copy. */
function isSame(entry: StoredEntry, other: StoredEntry | undefined): boolean {
  if (other === undefined || other.at !== entry.at) return false;
  return other.id === entry.id || isRenamed(other) || isRenamed(entry);
}

/** Whether it has entries that are not of the original. */
function isUsed(copy: readonly StoredEntry[], original: readonly StoredEntry[]): boolean {
  // With their times: epochs begin anew in a copy, so other entries of its owners may have the same ids.
  const known = new Set(original.map(nameOf));
  return copy.some((entry) => !known.has(nameOf(entry)) && !isRenamed(entry));
}

function nameOf({ id, at }: StoredEntry): string {
  return `${at} ${id}`;
}

/** Copied entries of an owner are named by the epoch 0, which no owner has. */
function isRenamed({ id }: StoredEntry): boolean {
  return id.startsWith("0~");
}

function twice(id: string): RepositoryError {
  const message = `Session "${id}" is in two databases, and each has entries that the other lacks: export one of them, delete it there, and move again`;
  return new RepositoryError("exists", id, message);
}

function damaged(id: string, cause: LogError): RepositoryError {
  const message = `Session "${id}" cannot be moved: ${cause.message}. Repair or delete it, and move again`;
  return new RepositoryError("invalid_entry", id, message, { cause });
}

function inUse(id: string): RepositoryError {
  const message = `Session "${id}" is in use: stop all hosts, and move again`;
  return new RepositoryError("unavailable", id, message);
}
