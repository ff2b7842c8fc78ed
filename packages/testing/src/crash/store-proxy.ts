/** The store as seen by one process: every call is a point. */
import type { NewEntry, SessionRepository } from "@capstan/log";
import { RepositoryError } from "@capstan/log";
import type { CrashMode } from "./crash-run.ts";
import type { Arrival, Life } from "./life.ts";
import { Killed } from "./life.ts";
import type { Scheduler } from "./scheduler.ts";

export interface StoreProxyOptions {
  readonly store: SessionRepository;
  readonly life: Life;
  readonly scheduler: Scheduler;
  readonly mode: CrashMode;
  /** True to lose one wake-up in ten if a seed is given: they are hints. A host that never polls depends on them. */
  readonly losesWakeups: boolean;
}

export function storeProxy(options: StoreProxyOptions): SessionRepository {
  const { store, life, scheduler, mode, losesWakeups } = options;
  const call = <T>(what: string, execute: () => T | Promise<T>): T | Promise<T> =>
    mode === "sync" ? callAtOnce(options, what, execute) : callLater(options, what, execute);
  const deliver = (fn: () => void): void => {
    if (mode === "sync") life.run(fn);
    else scheduler.add(() => life.run(fn));
  };
  return {
    create: (id, entries, head) => call("create", () => store.create(id, entries, head)),
    append: (id, entries, choices) =>
      call(`append ${typesOf(entries)}`, () => store.append(id, entries, choices)),
    post: (id, entry, options) =>
      call(`post ${typesOf([entry, ...(options?.start?.entries ?? [])])}`, () =>
        store.post(id, entry, options),
      ),
    read: (id, choices) => call("read", () => store.read(id, choices)),
    list: (query) => call("list", () => store.list(query)),
    delete: (id) => call("delete", () => store.delete(id)),
    acquire: (id, owner, ttlMs) => call("acquire", () => store.acquire(id, owner, ttlMs)),
    renew: (lease, ttlMs) => call("renew", () => store.renew(lease, ttlMs)),
    release: (lease) => call("release", () => store.release(lease)),
    claimDue: (query) => call("claimDue", () => store.claimDue(query)),
    putBlob: (id, bytes, options) => call("putBlob", () => store.putBlob(id, bytes, options)),
    getBlob: (id, ref, range) => call("getBlob", () => store.getBlob(id, ref, range)),
    subscribe(id, listener, choices) {
      if (life.isDead) return () => {};
      const stop = store.subscribe(
        id,
        (wakeup) => {
          if (!losesWakeups || !scheduler.chance(0.1)) deliver(() => listener(wakeup));
        },
        choices,
      );
      life.died.then(stop, stop);
      return stop;
    },
    sendLive: (lease, frame) => life.run(() => store.sendLive?.(lease, frame)),
  };
}

function callAtOnce<T>(
  { life }: StoreProxyOptions,
  what: string,
  execute: () => T | Promise<T>,
): T | Promise<T> {
  if (life.isDead) return never<T>();
  const arrival = life.arrive(what);
  if (arrival.before() === "fail") throw unavailable(what);
  if (life.isDead) throw new Killed(what);
  try {
    return execute();
  } finally {
    // An exception here replaces the store's answer.
    leave(life, arrival, what);
  }
}

function leave(life: Life, arrival: Arrival, what: string): void {
  const outcome = life.isDead ? "go" : arrival.after();
  if (life.isDead) throw new Killed(what);
  if (outcome === "fail") throw unavailable(what);
}

function callLater<T>(
  { life, scheduler }: StoreProxyOptions,
  what: string,
  execute: () => T | Promise<T>,
): Promise<T> {
  if (life.isDead) return never<T>();
  const arrival = life.arrive(what);
  if (arrival.before() === "fail") return Promise.reject(unavailable(what));
  if (life.isDead) return never<T>();
  return new Promise<T>((resolve, reject) => {
    const answer = (settle: () => void): void => {
      if (life.isDead) return;
      const outcome = arrival.after();
      const settled = outcome === "fail" ? (): void => reject(unavailable(what)) : settle;
      scheduler.add(() => life.run(settled));
    };
    const request = (): void => {
      const work = attempt(execute);
      scheduler.waitFor(work);
      work.then(
        (value) => answer(() => resolve(value)),
        (error: Error) => answer(() => reject(error)),
      );
    };
    scheduler.add(() => {
      // A request may outlive its process. A delete that late would affect the next session.
      if (life.isDead && what !== "delete" && scheduler.chance(0.5)) request();
      else life.run(request);
    });
  });
}

async function attempt<T>(execute: () => T | Promise<T>): Promise<T> {
  return execute();
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

function unavailable(what: string): RepositoryError {
  return new RepositoryError("unavailable", "", `The store did not answer (${what})`);
}

function typesOf(entries: readonly NewEntry[]): string {
  return entries.length === 0 ? "head" : entries.map(({ type }) => type).join("+");
}
