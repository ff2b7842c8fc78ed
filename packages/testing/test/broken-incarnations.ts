/** Stores that take a session for another one of its id. */
import type { BrokenStore } from "./broken-store.ts";

export const brokenIncarnations: readonly BrokenStore[] = [
  {
    fault: "a page does not tell whose entries it holds",
    sentence: "a read returns the incarnation of the first entry, wherever it starts",
    from: (intact) => ({
      ...intact,
      read: (id, options) => ({ ...intact.read(id, options), incarnation: undefined }),
    }),
  },
  {
    fault: "a post gets into whatever has the id",
    sentence: "a post for another incarnation finds no session, and is not written",
    from: (intact) => ({ ...intact, post: (id, entry) => intact.post(id, entry) }),
  },
  {
    fault: "an id that was posted is looked for in whatever has the session's id",
    sentence: "a post of this incarnation is not found by one for another incarnation",
    from: (intact) => ({
      ...intact,
      post: (id, entry, options) => {
        const known = intact.read(id).entries.find((stored) => stored.id === entry.id);
        if (known !== undefined) return { seq: known.seq, isNew: false };
        return intact.post(id, entry, options);
      },
    }),
  },
  {
    fault: "a blob gets into whatever has the id",
    sentence: "a blob for another incarnation finds no session, and is not stored",
    from: (intact) => ({ ...intact, putBlob: (id, bytes) => intact.putBlob(id, bytes) }),
  },
  {
    fault: "listeners do not hear of a session that is as long as before",
    sentence: "a listener hears that a session was recreated, even if it is as long as the old one",
    from: (intact) => ({
      ...intact,
      subscribe: (id, listener, options) => {
        const { lastSeq } = intact.read(id);
        return intact.subscribe(
          id,
          (wakeup) => {
            if (wakeup.type === "changed" && (wakeup.lastSeq ?? lastSeq) === lastSeq) return;
            listener(wakeup);
          },
          options,
        );
      },
    }),
  },
];
