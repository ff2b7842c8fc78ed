/** Sessions of a storage that can only load and save: loaded once, then kept in memory, and saved as a whole at each write. */
import { MemoryLease } from "../memory/memory-lease.ts";
import { MemorySession } from "../memory/memory-session.ts";
import { sessionNotFound } from "../repository/repository-failures.ts";
import { isRepositoryError, RepositoryError } from "../repository/repository.ts";
import type { LoadAndSave } from "./hooks.ts";
import { callHook } from "./hooks.ts";
import { parseSaved, toSaved } from "./saved-session.ts";

/** Number of sessions that are loaded at a time when all are wanted. */
const loadedAtATime = 16;

export class LoadedSessions {
  readonly #hooks: LoadAndSave;
  /** As they were last saved: a write changes a copy, which replaces the session once it is saved. */
  readonly #sessions = new Map<string, MemorySession>();
  /** The last piece of work on each session that has not ended. */
  readonly #working = new Map<string, Promise<void>>();
  readonly #saving = new Set<string>();
  /** Highest epoch of all deleted sessions: a session that is created again under an old id continues from it. */
  #deletedEpoch = 0;
  #isComplete = false;

  constructor(hooks: LoadAndSave) {
    this.#hooks = hooks;
  }

  /** Runs the work after all earlier work on this session. */
  async alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#working.set(id, promise);
    await before;
    try {
      return await work();
    } finally {
      resolve();
      if (this.#working.get(id) === promise) this.#working.delete(id);
    }
  }

  /** Sessions that this process has loaded. */
  get loaded(): ReadonlyMap<string, MemorySession> {
    return this.#sessions;
  }

  /** Whether a write was checked and is not saved yet: until then the lease of the session must not be given to another owner. */
  isSaving(id: string): boolean {
    return this.#saving.has(id);
  }

  newLease(id: string): MemoryLease {
    return new MemoryLease(id, this.#deletedEpoch);
  }

  /** Fails with `not_found`. */
  async find(id: string): Promise<MemorySession> {
    const session = await this.findIfAny(id);
    if (session !== undefined) return session;
    throw sessionNotFound(id);
  }

  /** Fails with `unavailable` if the session cannot be loaded, or what was loaded is damaged. */
  async findIfAny(id: string): Promise<MemorySession | undefined> {
    return this.#sessions.get(id) ?? this.#keep(id, await this.#load(id));
  }

  /** Returns a copy for one write. */
  async draft(id: string): Promise<MemorySession> {
    const session = await this.find(id);
    return MemorySession.restore(session.content, session.lease);
  }

  /** Saves a draft or a new session, which then counts. If that fails, nothing has changed here. */
  async save(session: MemorySession, isNew = false): Promise<void> {
    const { id, content, lease } = session;
    const saved = toSaved(content, lease.epoch);
    const { create } = this.#hooks;
    this.#saving.add(id);
    try {
      if (isNew && create !== undefined) {
        await callHook("create", id, () => create.call(this.#hooks, id, saved));
      } else {
        await callHook("save", id, () => this.#hooks.save(id, saved));
      }
      this.#sessions.set(id, session);
    } finally {
      this.#saving.delete(id);
    }
  }

  /** Returns whether this process had loaded the session. A damaged one can be deleted as well. */
  async delete(id: string): Promise<boolean> {
    const { delete: remove } = this.#hooks;
    if (remove === undefined) {
      const message = `Session "${id}" cannot be deleted: the application has given no \`delete\``;
      throw new RepositoryError("unavailable", id, message);
    }
    await callHook("delete", id, () => remove.call(this.#hooks, id));
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#deletedEpoch = Math.max(this.#deletedEpoch, session.lease.epoch);
    return this.#sessions.delete(id);
  }

  /**
   * Loads every session that the storage lists, once. Without a list there are only those that this process has used. Returns the failure of a
   * session that could not be loaded now: the others are.
   */
  async loadAll(): Promise<RepositoryError | undefined> {
    const { list } = this.#hooks;
    if (this.#isComplete || list === undefined) return undefined;
    const all = await callHook("list", "", () => list.call(this.#hooks));
    // Sessions that are loaded are not waited for: one that is slow to save would delay all.
    const ids = all.filter((id) => !this.#sessions.has(id));
    let failure: RepositoryError | undefined;
    for (let at = 0; at < ids.length; at += loadedAtATime) {
      const some = ids.slice(at, at + loadedAtATime);
      const loads = some.map((id) => this.alone(id, () => this.#loadIfUsable(id)));
      for (const failed of await Promise.all(loads)) failure ??= failed;
    }
    this.#isComplete = failure === undefined;
    return failure;
  }

  /** Returns the failure of the storage, if it fails. */
  async #loadIfUsable(id: string): Promise<RepositoryError | undefined> {
    if (this.#sessions.has(id)) return undefined;
    let loaded: unknown;
    try {
      loaded = await this.#load(id);
    } catch (thrown) {
      if (isRepositoryError(thrown)) return thrown;
      throw thrown;
    }
    try {
      this.#keep(id, loaded);
    } catch {
      // A damaged session must not hide the others. Reading it reports the damage.
    }
    return undefined;
  }

  #load(id: string): Promise<unknown> {
    return callHook("load", id, () => this.#hooks.load(id));
  }

  #keep(id: string, loaded: unknown): MemorySession | undefined {
    if (loaded === undefined || loaded === null) return undefined;
    const { content, epoch } = parseSaved(id, loaded);
    const lease = new MemoryLease(id, Math.max(epoch, this.#deletedEpoch));
    const session = MemorySession.restore(content, lease);
    this.#sessions.set(id, session);
    return session;
  }
}
