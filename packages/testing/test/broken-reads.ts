/** Stores that show what they should not, or do not tell what they should. */
import type { ListedSession, SessionRepository } from "@capstan/log";
import type { BrokenStore } from "./broken-store.ts";

export const brokenReads: readonly BrokenStore[] = [
  {
    fault: "each log is read from its first entry",
    sentence: "a reader that wants a checkpoint begins with that of the head",
    from: (intact) => ({
      ...intact,
      read: (id, options) => intact.read(id, { ...options, fromCheckpoint: false }),
    }),
  },
  {
    fault: "a checkpoint beyond the end is a failure",
    sentence:
      "a reader that wants a checkpoint beyond the end of the log gets nothing, or the whole log",
    from: (intact) => ({
      ...intact,
      read: (id, options) => {
        const page = intact.read(id, options);
        if (options?.fromCheckpoint && page.entries.length === 0) throw new Error("no entry");
        return page;
      },
    }),
  },
  {
    fault: "blobs are of all sessions",
    sentence: "a blob belongs to its session and to no other",
    from: (intact) => {
      const owners = new Map<string, string>();
      return {
        ...intact,
        putBlob: (id, bytes) => {
          const ref = intact.putBlob(id, bytes);
          owners.set(ref, id);
          return ref;
        },
        getBlob: (id, ref, range) => intact.getBlob(owners.get(ref) ?? id, ref, range),
      };
    },
  },
  {
    fault: "a deleted session leaves its blobs",
    sentence: "the blobs of a deleted session are gone, also when its id is used again",
    from: (intact) => {
      const kept = new Map<string, Uint8Array>();
      return {
        ...intact,
        putBlob: (id, bytes) => {
          const ref = intact.putBlob(id, bytes);
          kept.set(`${id} ${ref}`, bytes.slice());
          return ref;
        },
        getBlob: (id, ref, range) => kept.get(`${id} ${ref}`)?.slice(range?.start, range?.end),
      };
    },
  },
  {
    fault: "a page repeats the last session of the one before",
    sentence: "pages have the requested length, and the last one has no `next`",
    from: (intact) => {
      let last: ListedSession | undefined;
      return {
        ...intact,
        list: (query = {}) => {
          const page = intact.list(query);
          const repeated = query.after === undefined || last === undefined ? [] : [last];
          last = page.sessions.at(-1);
          return { ...page, sessions: [...repeated, ...page.sessions] };
        },
      };
    },
  },
  {
    fault: "pages are counted, not continued",
    sentence: "a page continues after the previous one, whatever has moved in the meantime",
    from: (intact) => ({
      ...intact,
      list: ({ after = "0", limit = 50, ...query } = {}) => {
        const { sessions } = intact.list({ ...query, limit: 100_000 });
        const end = Number(after) + limit;
        const page = { sessions: sessions.slice(Number(after), end) };
        return end < sessions.length ? { ...page, next: String(end) } : page;
      },
    }),
  },
  {
    fault: "no listener is woken",
    sentence: "a listener hears of a post",
    from: (intact) => ({ ...intact, subscribe: () => () => {} }),
  },
  {
    fault: "a writer sees its listeners' errors",
    sentence: "a listener that throws harms neither the writer nor another listener",
    from: (intact) => {
      const listeners = new Set<() => void>();
      return {
        ...intact,
        subscribe: (_, listener) => {
          const told = (): void => listener({ type: "changed" });
          listeners.add(told);
          return () => listeners.delete(told);
        },
        post: (id, entry) => {
          const place = intact.post(id, entry);
          for (const listener of listeners) listener();
          return place;
        },
      };
    },
  },
  {
    fault: "frames of an old owner are handed on",
    sentence: "a frame of an old epoch is dropped",
    from: (intact) => {
      const followers = new Set<Parameters<SessionRepository["subscribe"]>[1]>();
      return {
        ...intact,
        subscribe: (id, listener, options) => {
          if (options?.isLive) followers.add(listener);
          return intact.subscribe(id, listener, options);
        },
        sendLive: (_, frame) => {
          for (const follower of followers) follower({ type: "live", frame });
        },
      };
    },
  },
];
