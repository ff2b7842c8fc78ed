/** Locks between processes: a file that only one can make, with the name of its maker in it. */
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { MaybePromise } from "@capstan/log";
import { isPromise, RepositoryError } from "@capstan/log";
import { fateOf, ownIdentity } from "../watch/process-identity.ts";
import { isMissing, isTaken } from "./fs-failure.ts";

export interface FileLockOptions {
  /** Where the handles of the store have their files. */
  readonly processes: string;
  /** How long to wait for another process. */
  readonly busyMs: number;
}

/** Nobody holds a lock for so long, but one that was stopped. Only for those of whom we cannot tell whether they live. */
const abandonedMs = 10_000;

export class FileLocks {
  readonly #options: FileLockOptions;
  /** A lock is one more name of this file: it is made whole or not at all, and nobody sees it without its maker's name in it. */
  readonly #own: string;
  /** Ends of the calls that wait for a lock: those that come later wait for them. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor(options: FileLockOptions) {
    this.#options = options;
    this.#own = join(options.processes, randomUUID());
    this.#introduce();
  }

  /**
   * Works while it holds the lock: at once if it is free or about to be, later if another process keeps it, and then in the order of the
   * calls. Fails with ENOENT if there is no folder for it, and with `unavailable` after `busyMs`.
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

  /** Whether a living process has the lock now. */
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

  /** Locks are held for some hundred microseconds: for so long this thread does nothing else. */
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
        // Somebody may have tidied up our own file.
        if (!isMissing(thrown) || inodeOf(this.#own) !== undefined) throw thrown;
        this.#introduce();
      }
    }
  }

  /** Of two that find the lock of a dead process only one may remove it: the second would remove the lock of the first. */
  #takeAway(path: string): void {
    const removal = `${path}~`;
    if (!this.#tryTake(removal)) return;
    try {
      if (isAbandoned(path)) remove(path);
    } finally {
      this.#letGo(removal);
    }
  }

  /** A session that was deleted took its lock along, and a new one of its name may be locked by another. */
  #letGo(path: string): void {
    if (inodeOf(path) === inodeOf(this.#own)) remove(path);
  }
}

function isAbandoned(path: string): boolean {
  try {
    const fate = fateOf(readFileSync(path, "utf8"));
    if (fate !== "unknown") return fate === "dead";
    // What changed last in the file is the number of its names.
    return Date.now() - statSync(path).ctimeMs > abandonedMs;
  } catch (thrown) {
    // It was let go of meanwhile.
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

/** Within a millisecond. */
const briefWaits = [0.1, 0.2, 0.4];
const maxWaitMs = 10;

function heldByAnother(path: string): RepositoryError {
  const message = `${path} is held by another process: wait for it to end, or see what it does`;
  return new RepositoryError("unavailable", "", message);
}

function ignore(): void {}
