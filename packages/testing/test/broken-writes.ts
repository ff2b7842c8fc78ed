/** Stores that lose, repeat or alter what is written. */
import { setImmediate } from "node:timers/promises";
import type { NewEntry, PostedEntry } from "@capstan/log";
import type { BrokenStore } from "./broken-store.ts";

export const brokenWrites: readonly BrokenStore[] = [
  {
    fault: "a post is stored each time it comes",
    sentence: "the same id posted twice is one entry, the first",
    from: (intact) => {
      let posts = 0;
      const renamed = (entry: PostedEntry): PostedEntry => ({ ...entry, id: `post-${++posts}` });
      return { ...intact, post: (id, entry) => intact.post(id, renamed(entry)) };
    },
  },
  {
    fault: "a repeated post replaces the first",
    sentence: "the same id posted twice is one entry, the first",
    from: (intact) => {
      const latest = new Map<string, PostedEntry>();
      return {
        ...intact,
        post: (id, entry) => {
          const place = intact.post(id, entry);
          latest.set(`${id} ${entry.id}`, entry);
          return place;
        },
        read: (id, options) => {
          const page = intact.read(id, options);
          const entries = page.entries.map((entry) => ({
            ...entry,
            ...latest.get(`${id} ${entry.id}`),
          }));
          return { ...page, entries };
        },
      };
    },
  },
  {
    fault: "an entry keeps the seq that its writer expected",
    sentence: "an entry that expects another seq gets the one assigned by the store",
    from: (intact) => {
      const foreseen = new Map<string, unknown>();
      return {
        ...intact,
        append: (id, entries, options) => {
          for (const entry of entries) if ("seq" in entry) foreseen.set(entry.id, entry.seq);
          return intact.append(id, entries, options);
        },
        read: (id, options) => {
          const page = intact.read(id, options);
          const entries = page.entries.map((entry) =>
            foreseen.has(entry.id) ? { ...entry, seq: foreseen.get(entry.id) as number } : entry,
          );
          return { ...page, entries };
        },
      };
    },
  },
  {
    fault: "an append without a head makes one up",
    sentence: "an append without a head keeps the current one",
    from: (intact) => ({
      ...intact,
      append: (id, entries, options) =>
        intact.append(id, entries, {
          ...options,
          head: options.head ?? { status: "idle", agent: "helper", seen: 0, updatedAt: 0 },
        }),
    }),
  },
  {
    fault: "onlyIfSeq is ignored",
    sentence: "an append after an unexpected post writes nothing and returns the last seq",
    from: (intact) => ({
      ...intact,
      append: (id, entries, { lease, head }) => intact.append(id, entries, { lease, head }),
    }),
  },
  {
    fault: "onlyIfSeq is looked at before the write and not with it",
    sentence:
      "a post racing the append that ends a turn stops it, or comes after it and makes the session due",
    from: (intact) => ({
      ...intact,
      append: async (id, entries, { lease, head, onlyIfSeq }) => {
        const { lastSeq } = intact.read(id, { limit: 0 });
        if (onlyIfSeq !== undefined && onlyIfSeq !== lastSeq) return { type: "conflict", lastSeq };
        await setImmediate();
        return intact.append(id, entries, { lease, head });
      },
    }),
  },
  {
    fault: "a conflict writes the head all the same",
    sentence: "an append of no entries conflicts like any other",
    from: (intact) => ({
      ...intact,
      append: (id, entries, options) => {
        const appended = intact.append(id, entries, options);
        const { lease, head } = options;
        if (appended.type === "conflict") intact.append(id, [], { lease, head });
        return appended;
      },
    }),
  },
  {
    fault: "a post is lost while the session has an owner",
    sentence: "a post succeeds while an owner holds the lease, and the owner continues",
    from: (intact) => {
      const owned = new Set<string>();
      return {
        ...intact,
        acquire: (id, owner, ttlMs) => {
          const claim = intact.acquire(id, owner, ttlMs);
          if (claim) owned.add(id);
          return claim;
        },
        release: (lease) => {
          const released = intact.release(lease);
          owned.delete(lease.sessionId);
          return released;
        },
        post: (id, entry) =>
          owned.has(id)
            ? { seq: intact.read(id).lastSeq + 1, isNew: true }
            : intact.post(id, entry),
      };
    },
  },
  {
    fault: "an append that fails has written its first entries",
    sentence: "an append that has an id twice is refused whole",
    from: (intact) => ({
      ...intact,
      append: (id, entries, options) => {
        for (const entry of entries.slice(0, -1)) intact.append(id, [entry], options);
        return intact.append(id, entries.slice(-1), options);
      },
    }),
  },
  {
    fault: "NUL is left out of text",
    sentence: "control characters come back, NUL among them",
    from: (intact) => ({
      ...intact,
      append: (id, entries, options) => intact.append(id, entries.map(withoutNul), options),
      post: (id, entry) => intact.post(id, withoutNul(entry)),
    }),
  },
];

function withoutNul<E extends NewEntry>(entry: E): E {
  // The output has the shape of the input.
  return JSON.parse(JSON.stringify(entry).replaceAll("\\u0000", "")) as E;
}
