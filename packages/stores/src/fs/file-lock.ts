/** Locks between processes: a file that only one can make, with the name of its maker in it. */
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RepositoryError } from "@capstan/log";
import { fateOf, ownIdentity } from "../process-identity.ts";
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

  constructor(options: FileLockOptions) {
    this.#options = options;
    this.#own = join(options.processes, randomUUID());
    this.#introduce();
  }

  /** Works while it holds the lock. Fails with ENOENT if there is no folder for it. */
  hold<T>(path: string, work: () => T): T {
    this.#take(path, Date.now() + this.#options.busyMs);
    try {
      return work();
    } finally {
      this.#letGo(path);
    }
  }

  close(): void {
    remove(this.#own);
  }

  #introduce(): void {
    mkdirSync(this.#options.processes, { recursive: true });
    writeFileSync(this.#own, ownIdentity());
  }

  #take(path: string, until: number): void {
    for (let waitMs = 0.2; !this.#link(path); waitMs = Math.min(10, waitMs * 1.5)) {
      if (isAbandoned(path)) {
        this.#takeAway(path, until);
      } else if (Date.now() < until) {
        sleep(waitMs);
      } else {
        const message = `${path} is held by another process: wait for it to end, or see what it does`;
        throw new RepositoryError("unavailable", "", message);
      }
    }
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
  #takeAway(path: string, until: number): void {
    const removal = `${path}~`;
    this.#take(removal, until);
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

/** This thread does nothing meanwhile: locks are held for some hundred microseconds. */
function sleep(ms: number): void {
  Atomics.wait(pause, 0, 0, ms);
}
