/** Locks between processes: a file that only one process can create, containing the identity of its creator. */
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { MaybePromise } from "@capstan/log";
import { isPromise, RepositoryError } from "@capstan/log";
import { fateOf, ownIdentity } from "../watch/process-identity.ts";
import { isMissing, isTaken } from "./fs-failure.ts";

export interface FileLockOptions {
  /** Folder for the files of the store's handles. */
  readonly processes: string;
  /** How long to wait for another process. */
  readonly busyMs: number;
}

/** Longer than any running process holds a lock. Applies only if it is unknown whether the process is alive. */
const abandonedMs = 10_000;

export class FileLocks {
  readonly #options: FileLockOptions;
  /** Each lock is a hard link to this file: it is created atomically, and never visible without its creator's identity. */
  readonly #own: string;
  /** Last waiting call for each lock: later calls wait for it. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor(options: FileLockOptions) {
    this.#options = options;
    this.#own = join(options.processes, randomUUID());
    this.#introduce();
  }

  /**
   * Runs `work` while holding the lock: at once if it is free or about to be, later if another process holds it, then in call order. Fails
   * with ENOENT if the folder does not exist, and with `unavailable` after `busyMs`.
   */
  hold<T>(path: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const line = this.#lines.get(path);
    if (line === undefined && this.#takeSoon(path)) return this.#work(path, work);
    const until = Date.now() + this.#options.busyMs;
    const held = this.#waitInLine(path, line, until).then(() => this.#work(path, work));
    const done = held.then(ignore, ignore).then(() => {
      if (this.#lines.get(path) === done) this.#lines.delete(path);
    });
    this.#lines.set(path, done);
    return held;
  }

  /** True if a living process holds the lock now. */
  isHeld(path: string): boolean {
    return inodeOf(path) !== undefined && !isAbandoned(path);
  }

  close(): void {
    remove(this.#own);
  }

  #introduce(): void {
    mkdirSync(this.#options.processes, { recursive: true });
    writeFileSync(this.#own, ownIdentity());
  }

  #work<T>(path: string, work: () => MaybePromise<T>): MaybePromise<T> {
    let value: MaybePromise<T>;
    try {
      value = work();
    } catch (thrown) {
      this.#letGo(path);
      throw thrown;
    }
    if (isPromise(value)) return value.finally(() => this.#letGo(path));
    this.#letGo(path);
    return value;
  }

  async #waitInLine(path: string, line: Promise<void> | undefined, until: number): Promise<void> {
    await line;
    for (let waitMs = 1; !this.#tryTake(path); waitMs = Math.min(maxWaitMs, waitMs * 1.5)) {
      if (Date.now() >= until) throw heldByAnother(path);
      await delay(waitMs);
    }
  }

  /** Locks are held for a few hundred microseconds: this thread blocks that long. */
  #takeSoon(path: string): boolean {
    for (const ms of briefWaits) {
      if (this.#tryTake(path)) return true;
      sleep(ms);
    }
    return this.#tryTake(path);
  }

  #tryTake(path: string): boolean {
    if (this.#link(path)) return true;
    if (!isAbandoned(path)) return false;
    this.#takeAway(path);
    return this.#link(path);
  }

  #link(path: string): boolean {
    for (;;) {
      try {
        linkSync(this.#own, path);
        return true;
      } catch (thrown) {
        if (isTaken(thrown)) return false;
        // Another process may have cleaned up our own file.
        if (!isMissing(thrown) || inodeOf(this.#own) !== undefined) throw thrown;
        this.#introduce();
      }
    }
  }

  /** If two processes find the lock of a dead one, only one may remove it: the second would remove the lock of the first. */
  #takeAway(path: string): void {
    const removal = `${path}~`;
    if (!this.#tryTake(removal)) return;
    try {
      if (isAbandoned(path)) remove(path);
    } finally {
      this.#letGo(removal);
    }
  }

  /** A deleted session's lock is gone with it, and another process may have locked a new session of that name. */
  #letGo(path: string): void {
    if (inodeOf(path) === inodeOf(this.#own)) remove(path);
  }
}

function isAbandoned(path: string): boolean {
  try {
    const fate = fateOf(readFileSync(path, "utf8"));
    if (fate !== "unknown") return fate === "dead";
    // The last change to the file was its link count.
    return Date.now() - statSync(path).ctimeMs > abandonedMs;
  } catch (thrown) {
    // The lock was released in the meantime.
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function sleep(ms: number): void {
  Atomics.wait(pause, 0, 0, ms);
}

/** Less than a millisecond in total. */
const briefWaits = [0.1, 0.2, 0.4];
const maxWaitMs = 10;

function heldByAnother(path: string): RepositoryError {
  const message = `${path} is locked by another process: wait for it to end, or check what it is doing`;
  return new RepositoryError("unavailable", "", message);
}

function ignore(): void {}
