/** Stores that break what they promise about posts that bring the start of their turn, one promise each. */
import { memoryRepository } from "@capstan/log";
import type { MemoryRepository, NewEntry, Posted, PostedEntry, PostOptions } from "@capstan/log";
import type { CreateStore } from "@capstan/testing/crash";
import type { PlantedFault } from "./planted-faults.ts";

/** Higher than the epochs of any run. */
const neverGiven = 1_000;

type Post = (id: string, entry: PostedEntry, options: PostOptions) => Posted;

/** A store with another `post` for entries that bring a start. */
function starting(change: (store: MemoryRepository) => Post): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    const post = change(store);
    return {
      ...store,
      post: (id, entry, choices = {}) =>
        choices.start === undefined ? store.post(id, entry, choices) : post(id, entry, choices),
    };
  };
}

/** Position and lease that the start should have had. */
function pretended({ claim, ...posted }: Posted, { start }: PostOptions): Posted {
  if (claim === undefined || start === undefined) return posted;
  const lastSeq = posted.seq + start.entries.length;
  return { ...posted, claim: { ...claim, lastSeq, head: start.head }, isStarted: true };
}

export const plantedStartFaults: readonly PlantedFault[] = [
  {
    name: "a turn is started although something was posted before",
    scenario: "input arriving as a turn ends",
    caughtAs: "requests",
    createStore: starting((store) => (id, entry, { start, ...options }) => {
      const { lastSeq } = store.read(id);
      return store.post(id, entry, {
        ...options,
        start: start && { ...start, onlyIfSeq: lastSeq },
      });
    }),
  },
  {
    name: "a turn is started although another process has the lease",
    scenario: "two hosts that rewind while calls wait",
    caughtAs: "stuck",
    createStore: starting((store) => (id, entry, options) => {
      const posted = store.post(id, entry, options);
      const { claim, start } = options;
      const isRefused = posted.isNew && posted.claim === undefined;
      if (!isRefused || claim === undefined || start === undefined) return posted;
      // The store looks at the envelope only.
      for (const started of start.entries) store.post(id, started as unknown as PostedEntry);
      const lease = { sessionId: id, owner: claim.owner, epoch: neverGiven };
      return pretended({ ...posted, claim: { lease, head: start.head, lastSeq: 0 } }, options);
    }),
  },
  {
    name: "the start of a turn is acknowledged with its post, and lost",
    scenario: "parallel tools",
    caughtAs: "events",
    createStore: starting(
      (store) =>
        (id, entry, { start, ...options }) =>
          pretended(store.post(id, entry, options), { start }),
    ),
  },
  {
    name: "a request is made before the post that starts its turn is written",
    scenario: "parallel tools",
    caughtAs: "requests",
    createStore: (options) => {
      const store = memoryRepository(options);
      let held: (() => void) | undefined;
      const write = (): void => {
        const late = held;
        held = undefined;
        late?.();
      };
      return {
        ...store,
        append: (id, entries, choices) => {
          write();
          return store.append(id, entries, choices);
        },
        post: (id, entry, choices = {}) => {
          const { claim, start } = choices;
          if (claim === undefined || start === undefined) return store.post(id, entry, choices);
          const given = store.acquire(id, claim.owner, claim.ttlMs);
          if (given === undefined) return store.post(id, entry);
          held = () => {
            store.post(id, entry);
            store.append(id, start.entries, { lease: given.lease, head: start.head });
          };
          return pretended({ seq: given.lastSeq + 1, isNew: true, claim: given }, choices);
        },
      };
    },
  },
  {
    name: "an input is lost together with the turn that it brings",
    scenario: "several turns",
    caughtAs: "stuck",
    createStore: starting((store) => (id, _entry, { start }) => {
      const { lastSeq } = store.read(id);
      return { seq: (start?.onlyIfSeq ?? lastSeq) + 1, isNew: true };
    }),
  },
  {
    name: "only the first entry of a start is written",
    scenario: "parallel tools",
    caughtAs: "events",
    createStore: starting((store) => (id, entry, { start, ...options }) => {
      const entries: readonly NewEntry[] = start?.entries.slice(0, 1) ?? [];
      const posted = store.post(id, entry, { ...options, start: start && { ...start, entries } });
      return posted.isStarted === true ? pretended(posted, { start }) : posted;
    }),
  },
];
