/** A store that need not read and parse again what was just read. */
import type { ReadOptions, ReadPage, SessionRepository, StoredEntry } from "@capstan/log";
import { andThen } from "@capstan/log";

export interface ReadSession {
  readonly id: string;
  readonly entries: readonly StoredEntry[];
}

/** Returns the store, which hands out these entries until they were read to their end once. The store is still asked for what is new. */
export function readOnce(store: SessionRepository, session: ReadSession): SessionRepository {
  let known: readonly StoredEntry[] | undefined = session.entries;
  const lastSeq = known.at(-1)?.seq ?? 0;
  const read: SessionRepository["read"] = (id, options: ReadOptions = {}) => {
    const { after = 0, limit } = options;
    if (id !== session.id || known === undefined) return store.read(id, options);
    if (after >= lastSeq) {
      known = undefined;
      return store.read(id, options);
    }
    const entries = known;
    return andThen(
      store.read(id, { after: lastSeq, limit: 1 }),
      (page): ReadPage | Promise<ReadPage> => {
        // Another session has got this id since.
        if (page.lastSeq < lastSeq || entries[after]?.seq !== after + 1) return rest(id, options);
        return {
          ...page,
          entries: entries.slice(after, limit === undefined ? undefined : after + limit),
        };
      },
    );
  };
  const rest = async (id: string, options: ReadOptions): Promise<ReadPage> => {
    known = undefined;
    return store.read(id, options);
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "read") return read;
      // Methods of a store may use private fields.
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
