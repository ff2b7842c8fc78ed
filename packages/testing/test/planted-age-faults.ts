/** Stores and hosts that take a session for another one of its id, one fault each. */
import type { HostOptions } from "@capstan/core";
import type { ReadPage, SessionRepository, Wakeup } from "@capstan/log";
import { isPromise, memoryRepository } from "@capstan/log";
import type { PlantedFault } from "./planted-faults.ts";

export const plantedAgeFaults: readonly PlantedFault[] = [
  {
    name: "a post gets into whatever has the id",
    scenario: "sent to a session that is deleted in the meantime",
    caughtAs: "incarnation",
    createStore: (options) => {
      const store = memoryRepository(options);
      return { ...store, post: (id, entry) => store.post(id, entry) };
    },
  },
  {
    name: "a page does not tell whose entries it holds",
    scenario: "deleted at rest and begun again",
    caughtAs: "incarnation",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        read: (id, choices) => ({ ...store.read(id, choices), incarnation: undefined }),
      };
    },
  },
  {
    name: "a host keeps what it knows of a session that is another one",
    scenario: "deleted at rest and begun again",
    caughtAs: "events",
    alterHost: (options) => ({ ...options, repository: unchanging(options.repository) }),
  },
  {
    name: "the keys of calls are those of the session before",
    scenario: "deleted at rest and begun again",
    caughtAs: "incarnation",
    alterHost: (options) => ({ ...options, newId: sameIds(options) }),
  },
];

/** A handle of the store by which the first session of an id is the only one. */
function unchanging(store: SessionRepository): SessionRepository {
  let first: string | undefined;
  const hide = (page: ReadPage): ReadPage => {
    first ??= page.incarnation;
    return { ...page, incarnation: first };
  };
  return {
    ...store,
    read: (...args) => {
      const page = store.read(...args);
      return isPromise(page) ? Promise.resolve(page).then(hide) : hide(page);
    },
    post: (id, entry) => store.post(id, entry),
    subscribe: (id, listener, options) =>
      store.subscribe(id, (wakeup) => listener(untold(wakeup)), options),
  };
}

function untold(wakeup: Wakeup): Wakeup {
  return wakeup.type === "changed" ? { type: "changed" } : wakeup;
}

/** Every host begins its sessions with the same incarnation. */
function sameIds({ newId = () => "" }: HostOptions): () => string {
  let isFirst = true;
  return () => {
    if (!isFirst) return newId();
    isFirst = false;
    return "first";
  };
}
