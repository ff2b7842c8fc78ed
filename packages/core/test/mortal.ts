/** A process that can die: from then on nothing of it reaches the store, and nothing of the store reaches it. */
import type { NewEntry, SessionRepository } from "@capstan/log";
import { isPromise } from "@capstan/log";

export interface Mortal {
  readonly repository: SessionRepository;
  die(): void;
  /** Dies as soon as an entry of this type is stored, before it learns so. */
  dieAfter(type: NewEntry["type"]): void;
}

export function mortal(store: SessionRepository): Mortal {
  let isDead = false;
  let last: string | undefined;
  const never = new Promise<never>(() => {});
  const unlessDead = <T>(call: () => T): T | Promise<never> => (isDead ? never : call());
  return {
    die: () => {
      isDead = true;
    },
    dieAfter: (type) => {
      last = type;
    },
    repository: {
      create: (...args) => unlessDead(() => store.create(...args)),
      append: (id, entries, options) =>
        unlessDead(() => {
          const appended = store.append(id, entries, options);
          isDead = entries.some((entry) => entry.type === last);
          return isDead ? never : appended;
        }),
      post: (id, entry, options) =>
        unlessDead(() => {
          const posted = store.post(id, entry, options);
          const isStarted = !isPromise(posted) && posted.isStarted === true;
          isDead = isStarted && options?.start?.entries.some(({ type }) => type === last) === true;
          return isDead ? never : posted;
        }),
      read: (...args) => unlessDead(() => store.read(...args)),
      list: (...args) => unlessDead(() => store.list(...args)),
      delete: (...args) => unlessDead(() => store.delete(...args)),
      acquire: (...args) => unlessDead(() => store.acquire(...args)),
      renew: (...args) => unlessDead(() => store.renew(...args)),
      release: (...args) => unlessDead(() => store.release(...args)),
      claimDue: (...args) => unlessDead(() => store.claimDue(...args)),
      putBlob: (...args) => unlessDead(() => store.putBlob(...args)),
      getBlob: (...args) => unlessDead(() => store.getBlob(...args)),
      subscribe: (id, listener, options) =>
        store.subscribe(
          id,
          (wakeup) => {
            if (!isDead) listener(wakeup);
          },
          options,
        ),
      sendLive: (lease, frame) => {
        if (!isDead) store.sendLive?.(lease, frame);
      },
    },
  };
}
