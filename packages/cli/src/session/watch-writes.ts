/** Notices when a store does not take what is written any more: a session would go on when it does, and a command must not wait for that. */
import type { Appended, MaybePromise, SessionRepository } from "@capstan/log";
import { isRepositoryError } from "@capstan/log";

export interface WatchedStore {
  readonly repository: SessionRepository;
  /** Resolves with why, if that ever happens. */
  readonly failure: Promise<Error>;
}

export function watchWrites(store: SessionRepository): WatchedStore {
  const failure = Promise.withResolvers<Error>();
  const note = (thrown: unknown): void => {
    if (isRepositoryError(thrown) && thrown.code === "unavailable") failure.resolve(thrown);
  };
  const append: SessionRepository["append"] = (...args) => {
    let appended: MaybePromise<Appended>;
    try {
      appended = store.append(...args);
    } catch (thrown) {
      note(thrown);
      throw thrown;
    }
    // Whoever appends is told of it too.
    if (appended instanceof Promise) appended.catch(note);
    return appended;
  };
  const repository = new Proxy(store, {
    get: (target, name): unknown => {
      if (name === "append") return append;
      const value: unknown = Reflect.get(target, name, target);
      // Stores have private fields, which only they themselves can reach.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { repository, failure: failure.promise };
}
