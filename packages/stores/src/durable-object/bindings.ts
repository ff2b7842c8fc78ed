/** Part of Cloudflare's API that the store uses: the package needs no types of Cloudflare. */

export interface ObjectStub {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** Binding of a Durable Object class, as Workers get it. */
export interface ObjectNamespace {
  getByName(name: string): ObjectStub;
}

/** Bindings of a worker. The objects find each other by these names. */
export interface StoreBindings {
  /** Namespace of the class `SessionObject`. */
  readonly CAPSTAN_SESSIONS: ObjectNamespace;
  /** Namespace of the class `IndexObject`. */
  readonly CAPSTAN_INDEX: ObjectNamespace;
  /** Service that is requested when sessions are due: it runs a host, or wakes the object that does. */
  readonly CAPSTAN_WAKE?: ObjectStub;
}

export type SqlValue = string | number | null | ArrayBuffer;

export interface SqlStorage {
  exec(sql: string, ...values: SqlValue[]): { toArray(): Record<string, SqlValue>[] };
}

export interface ObjectStorage {
  readonly sql: SqlStorage;
  /** Rolls back if `run` throws. */
  transactionSync<T>(run: () => T): T;
  /** Part of the same atomic write as statements before it, if nothing is awaited in between. */
  setAlarm(time: number): Promise<void>;
}

/** First argument of an object's constructor. */
export interface ObjectState {
  readonly storage: ObjectStorage;
}
