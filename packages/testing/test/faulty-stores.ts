/** Faults of a store, each on top of one in memory. */
import type { JsonValue } from "@capstan/kernel";
import type {
  Appended,
  LiveFrame,
  MemoryRepository,
  NewEntry,
  PostedEntry,
  SessionRepository,
  StoredEntry,
  Wakeup,
} from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { CreateStore } from "@capstan/testing/crash";

type EntryTypes = readonly NewEntry["type"][];

/** Replaces an entry by one that no program understands. */
function placeholder({ v, id, at }: NewEntry): NewEntry {
  // A type that only a newer program knows is stored like any other.
  return { v, id: `${id}-held`, at, type: "held" } as unknown as NewEntry;
}

export function dropping(types: EntryTypes): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    return {
      ...store,
      append: (id, entries, choices) => {
        const written = entries.map((entry) =>
          types.includes(entry.type) ? placeholder(entry) : entry,
        );
        return store.append(id, written, choices);
      },
    };
  };
}

/** The state that a suspended call leaves for its next run loses this field. */
export function withoutState(field: string): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    return {
      ...store,
      append: (id, entries, choices) => {
        const written = entries.map((entry) => {
          if (entry.type !== "suspended") return entry;
          const { [field]: _, ...state } = entry.state as Readonly<Record<string, JsonValue>>;
          return { ...entry, state };
        });
        return store.append(id, written, choices);
      },
    };
  };
}

/** Entries of these types are acknowledged, and written with the next append. */
export function writingLate(types: EntryTypes): CreateStore {
  const isLate = (entry: NewEntry): boolean => types.includes(entry.type);
  const inTime = (entry: NewEntry): NewEntry => (isLate(entry) ? placeholder(entry) : entry);
  return (options) => {
    const store = memoryRepository(options);
    let held: readonly NewEntry[] = [];
    return {
      ...store,
      append: (id, entries, choices) => {
        const late = held;
        const appended = store.append(id, [...late, ...entries.map(inTime)], choices);
        if (appended.type === "conflict") return appended;
        held = entries.filter(isLate);
        return { ...appended, seqs: appended.seqs.slice(late.length) };
      },
      post: (id, entry, { start, ...choices } = {}) => {
        if (start === undefined) return store.post(id, entry, choices);
        const entries = start.entries.map(inTime);
        const posted = store.post(id, entry, { ...choices, start: { ...start, entries } });
        if (posted.isStarted === true) held = [...held, ...start.entries.filter(isLate)];
        return posted;
      },
    };
  };
}

export function withoutFence(options: { readonly now: () => number }): SessionRepository {
  const store = memoryRepository(options);
  return { ...store, append: (...append) => appendInAnyCase(store, append) };
}

export function renewingAlways(options: { readonly now: () => number }): SessionRepository {
  const store = memoryRepository(options);
  const revived = new Set<number>();
  return {
    ...store,
    renew: (lease, ttlMs) => {
      try {
        store.renew(lease, ttlMs);
      } catch {
        // The fault of this store: a lease that is over is renewed all the same.
        revived.add(lease.epoch);
      }
    },
    append: (...append) => {
      const [, , { lease }] = append;
      return revived.has(lease.epoch) ? appendInAnyCase(store, append) : store.append(...append);
    },
  };
}

/** Writes of the lease's owner: posts need no lease. */
function appendInAnyCase(
  store: MemoryRepository,
  append: Parameters<MemoryRepository["append"]>,
): Appended {
  const [id, entries] = append;
  try {
    return store.append(...append);
  } catch {
    // The store looks at the envelope only.
    const seqs = entries.map((entry) => store.post(id, entry as PostedEntry).seq);
    return { type: "appended", seqs, lastSeq: store.read(id).lastSeq };
  }
}

/** Frames have no epoch, and their readers count on from what they have seen. */
export function withoutEpochs(options: { readonly now: () => number }): SessionRepository {
  const store = memoryRepository(options);
  const listeners = new Set<(wakeup: Wakeup) => void>();
  let last: LiveFrame | undefined;
  return {
    ...store,
    subscribe: (id, listener, choices) => {
      const stop = store.subscribe(id, listener, choices);
      if (choices?.isLive === true) listeners.add(listener);
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
    sendLive: (_lease, frame) => {
      const isOld = last !== undefined && frame.epoch < last.epoch;
      const shown = isOld && last !== undefined ? goingOn(last, frame) : frame;
      last = shown;
      for (const listener of [...listeners]) listener({ type: "live", frame: shown });
    },
  };
}

function goingOn({ epoch, seq, from, events, turnId }: LiveFrame, late: LiveFrame): LiveFrame {
  return { ...late, epoch, seq, turnId, from: from + events.length };
}

export function postingLate(options: { readonly now: () => number }): SessionRepository {
  const store = memoryRepository(options);
  const held: Parameters<SessionRepository["post"]>[] = [];
  return {
    ...store,
    post: (id, entry) => {
      if (entry.type === "input") return store.post(id, entry);
      held.push([id, entry]);
      return { seq: store.read(id).lastSeq + held.length, isNew: true };
    },
    append: (id, entries, choices) => {
      for (const post of held.splice(0)) store.post(...post);
      return store.append(id, entries, choices);
    },
  };
}

/** Posts are stored as this makes them; undefined: acknowledged, and lost. */
export function altering(
  alter: (entry: PostedEntry, store: MemoryRepository, id: string) => PostedEntry | undefined,
): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    return {
      ...store,
      post: (id, entry) => {
        const altered = alter(entry, store, id);
        if (altered !== undefined) return store.post(id, altered);
        return { seq: store.read(id).lastSeq + 1, isNew: true };
      },
    };
  };
}

/** A session that is made from another begins with what this makes of it. */
export function forking(
  alter: (entries: readonly NewEntry[], original: readonly StoredEntry[]) => readonly NewEntry[],
): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    return {
      ...store,
      create: (id, entries, head) => {
        const forked = entries.find(({ type }) => type === "forked_from");
        if (forked?.type !== "forked_from") return store.create(id, entries, head);
        const original = store.read(forked.sessionId).entries;
        return store.create(id, alter(entries, original), head);
      },
    };
  };
}

const postedTypes: readonly string[] = ["input", "steer", "follow_up", "answer", "decision"];

interface Reasons {
  readonly isRunning: boolean;
  readonly isAwaited: boolean;
  readonly isPosted: boolean;
}

/** A session is given away only for these reasons. */
export function claimingOnly(isWanted: (reasons: Reasons) => boolean): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    return {
      ...store,
      claimDue: (query) => {
        const isGiven = store.list().sessions.some(({ id, head }) => {
          const { entries } = store.read(id, { after: head.seen });
          return isWanted({
            isRunning: head.status === "running",
            isAwaited: head.wakeAt !== undefined && head.wakeAt <= options.now(),
            isPosted: entries.some(({ type }) => postedTypes.includes(type)),
          });
        });
        return isGiven ? store.claimDue(query) : [];
      },
    };
  };
}
