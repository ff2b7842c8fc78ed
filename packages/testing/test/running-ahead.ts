/**
 * Hosts that run ahead of their log: a write with an entry of one of these types is answered at once, and made before the next write to its
 * session or a moment later. The order of the log stays as it is, so that only the death of the process shows that it was not durable.
 */
import type { EntryType, MemoryRepository, NewEntry } from "@capstan/log";
import { isRepositoryError, memoryRepository, sessionExists } from "@capstan/log";
import type { AlterHost } from "@capstan/testing/crash";

/** Long enough for an effect that the write should have preceded. */
const momentMs = 50;

/** A write that is lost with its process. */
interface HeldWrite {
  readonly needsLease: boolean;
  /** The session for its own process, if the write creates it. */
  readonly shown?: MemoryRepository;
  make(): void;
}

/** For runs in the mode `sync`. `onAhead` is called for each such write. */
export function runningAhead(ahead: EntryType, onAhead: () => void = () => {}): AlterHost {
  const isAhead = (entries: readonly NewEntry[]): boolean =>
    entries.some(({ type }) => type === ahead);
  return (options) => {
    // In the mode `sync` the store of a run answers like one in memory.
    const store = options.repository as MemoryRepository;
    const held = new Map<string, HeldWrite>();
    const makeHeld = (id: string): void => {
      const write = held.get(id);
      held.delete(id);
      write?.make();
    };
    const hold = (id: string, write: HeldWrite): void => {
      onAhead();
      held.set(id, write);
      options.clock?.timer(momentMs, () => {
        if (held.get(id) === write) unlessLost(() => makeHeld(id));
      });
    };
    const repository: MemoryRepository = {
      ...store,
      create: (id, entries, head) => {
        if (held.has(id)) throw sessionExists(id);
        if (!isAhead(entries) || isStored(store, id)) return store.create(id, entries, head);
        const shown = memoryRepository();
        shown.create(id, entries, head);
        hold(id, { needsLease: false, shown, make: () => store.create(id, entries, head) });
      },
      read: (id, choices) => (held.get(id)?.shown ?? store).read(id, choices),
      append: (id, entries, choices) => {
        makeHeld(id);
        const { lastSeq } = store.read(id);
        const { onlyIfSeq = lastSeq, ...late } = choices;
        if (onlyIfSeq !== lastSeq || !isAhead(entries)) return store.append(id, entries, choices);
        hold(id, { needsLease: true, make: () => store.append(id, entries, late) });
        return {
          type: "appended",
          seqs: entries.map((_, index) => lastSeq + 1 + index),
          lastSeq: lastSeq + entries.length,
          ...(choices.releases === true && { isReleased: true }),
        };
      },
      post: (id, entry, choices = {}) => {
        makeHeld(id);
        const { claim: terms, start } = choices;
        const { lastSeq, entries } = store.read(id);
        const isNew = entries.every((stored) => stored.id !== entry.id);
        if (!isNew || !isAhead([entry, ...(start?.entries ?? [])])) {
          return store.post(id, entry, choices);
        }
        const posted = { seq: lastSeq + 1, isNew };
        const mayStart = terms !== undefined && start?.onlyIfSeq === lastSeq;
        const claim = mayStart ? store.acquire(id, terms.owner, terms.ttlMs) : undefined;
        if (claim === undefined || start === undefined) {
          hold(id, { needsLease: false, make: () => store.post(id, entry) });
          return posted;
        }
        const make = (): void => {
          store.post(id, entry);
          store.append(id, start.entries, { lease: claim.lease, head: start.head });
        };
        hold(id, { needsLease: true, make });
        const last = posted.seq + start.entries.length;
        return { ...posted, claim: { ...claim, lastSeq: last, head: start.head }, isStarted: true };
      },
      acquire: (id, ...terms) => {
        if (held.get(id)?.needsLease === true) makeHeld(id);
        const claim = store.acquire(id, ...terms);
        if (claim === undefined || !held.has(id)) return claim;
        makeHeld(id);
        return { ...claim, lastSeq: store.read(id).lastSeq };
      },
      release: (lease) => {
        makeHeld(lease.sessionId);
        return store.release(lease);
      },
    };
    return { ...options, repository };
  };
}

function isStored(store: MemoryRepository, id: string): boolean {
  try {
    return store.read(id).lastSeq > 0;
  } catch (thrown) {
    if (isRepositoryError(thrown) && thrown.code === "not_found") return false;
    throw thrown;
  }
}

/** Ignores the death of the process in it, and the loss of its lease. */
function unlessLost(write: () => void): void {
  try {
    write();
  } catch {
    // It was answered long ago.
  }
}
