/** Stores that write the start of a turn with its post when they must not, or not as a whole. */
import type { MemoryRepository, Posted, PostedEntry, PostOptions } from "@capstan/log";
import type { BrokenStore } from "./broken-store.ts";

type Post = (id: string, entry: PostedEntry, options: PostOptions) => Posted;

/** A store with another `post`. */
const posting =
  (change: (intact: MemoryRepository) => Post): BrokenStore["from"] =>
  (intact) => {
    const post = change(intact);
    return { ...intact, post: (id, entry, options = {}) => post(id, entry, options) };
  };

/** Appends the start after its post, in a write of its own, under a lease that is free. */
function startLater(
  intact: MemoryRepository,
  id: string,
  posted: Posted,
  { claim, start }: PostOptions,
): Posted {
  const given = posted.claim ?? (claim && intact.acquire(id, claim.owner, claim.ttlMs));
  if (given === undefined || start === undefined) return posted;
  const { lease } = given;
  const { lastSeq } = intact.append(id, start.entries, { lease, head: start.head });
  return { ...posted, claim: { lease, lastSeq, head: start.head }, isStarted: true };
}

export const brokenStarts: readonly BrokenStore[] = [
  {
    fault: "a start is said to be stored, and is not",
    sentence: "a post and the start that it brings are one write, in this order",
    from: posting((intact) => (id, entry, { claim, incarnation }) => ({
      ...intact.post(id, entry, { claim, incarnation }),
      isStarted: true,
    })),
  },
  {
    fault: "a start is stored although something was posted before",
    sentence:
      "a start is dropped if something was posted before, and its post claims the session all the same",
    from: posting((intact) => (id, entry, options) => {
      const { start } = options;
      const { lastSeq } = intact.read(id);
      return intact.post(id, entry, {
        ...options,
        start: start && { ...start, onlyIfSeq: lastSeq },
      });
    }),
  },
  {
    fault: "a start without a lease is stored under a lease that no process holds",
    sentence: "a start is dropped if no lease is asked for",
    from: posting((intact) => (id, entry, options) => {
      const claim = options.claim ?? { owner: "none", ttlMs: 1 };
      const { claim: _, ...posted } = intact.post(id, entry, { ...options, claim });
      return posted;
    }),
  },
  {
    fault: "a start takes the lease of another owner",
    sentence: "a start is dropped if another owner has the session",
    from: posting((intact) => (id, entry, options) => {
      const { claim } = options;
      return intact.post(id, entry, { ...options, claim: claim && { ...claim, owner: "second" } });
    }),
  },
  {
    fault: "a session that was set aside is started",
    sentence: "a session that was set aside is not started by a post",
    from: posting((intact) => (id, entry, options) => {
      const { start: _, ...alone } = options;
      return startLater(intact, id, intact.post(id, entry, alone), options);
    }),
  },
  {
    fault: "a repeated post starts a turn again",
    sentence: "a post that was made before starts nothing",
    from: posting((intact) => (id, entry, options) => {
      const posted = intact.post(id, entry, options);
      return posted.isNew ? posted : startLater(intact, id, posted, options);
    }),
  },
  {
    fault: "a post is stored although its start is refused",
    sentence:
      "a start with an id that is taken fails like an append, and its post is not stored either",
    from: posting((intact) => (id, entry, options) => {
      const { start: _, ...alone } = options;
      return startLater(intact, id, intact.post(id, entry, alone), options);
    }),
  },
  {
    fault: "a start leaves the old head",
    sentence: "a started session is due as soon as its lease is released",
    from: posting((intact) => (id, entry, options) => {
      const { start } = options;
      const head = intact.list().sessions[0]?.head;
      const seen = start?.head.seen ?? 0;
      const kept = start && head && { ...start, head: { ...head, seen } };
      return intact.post(id, entry, { ...options, start: kept });
    }),
  },
  {
    fault: "each of two processes starts a turn",
    sentence: "two processes that post a start at the same moment start one turn",
    from: posting((intact) => (id, entry, options) => {
      const { start, claim } = options;
      const { lastSeq } = intact.read(id);
      return intact.post(id, entry, {
        claim: claim && { ...claim, owner: "one" },
        start: start && { ...start, onlyIfSeq: lastSeq },
      });
    }),
  },
];
