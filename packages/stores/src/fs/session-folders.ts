/** Folders of the sessions: created and removed atomically, and read without locks. */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isRepositoryError, RepositoryError, sessionExists } from "@capstan/log";
import type { EntryText } from "../text/entry-text.ts";
import { isMissing, isTaken } from "./fs-failure.ts";
import { folderNameOf, isUnderWay } from "./layout.ts";
import { LogFile, toFirstLine } from "./log-file.ts";
import type { SessionState } from "./session-state.ts";
import { lastState, toStateLine } from "./session-state.ts";

/** Usually enough for a state line. */
const tailBytes = 2_048;
/** Number of logs whose entry offsets are cached. */
const maxLogs = 200;

interface Seen {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly state: SessionState;
}

export class SessionFolders {
  readonly #root: string;
  readonly #isSynced: boolean;
  /** In order of last use. */
  readonly #logs = new Map<string, LogFile>();
  readonly #seen = new Map<string, Seen>();

  constructor(root: string, isSynced: boolean) {
    this.#root = root;
    this.#isSynced = isSynced;
    mkdirSync(root, { recursive: true });
  }

  pathOf(id: string): string {
    return join(this.#root, folderNameOf(id));
  }

  /** Atomic: other processes see all of it or nothing. */
  create(state: SessionState, entries: readonly EntryText[]): void {
    const folder = join(this.#root, `~${randomUUID()}`);
    const lines = entries.map(({ text }) => `${text}\n`).join("");
    mkdirSync(folder);
    try {
      const text = toFirstLine(randomUUID()) + lines + toStateLine(state, entries);
      writeFileSync(join(folder, "log.jsonl"), text, { flush: this.#isSynced });
      renameSync(folder, this.pathOf(state.id));
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true });
      throw isTaken(thrown) ? sessionExists(state.id) : thrown;
    }
    if (this.#isSynced) syncFolder(this.#root);
  }

  /** Call under the session's lock, which is removed with it. */
  remove(id: string): void {
    const gone = join(this.#root, `~${randomUUID()}`);
    renameSync(this.pathOf(id), gone);
    this.#logs.delete(folderNameOf(id));
    rmSync(gone, { recursive: true, force: true });
  }

  log(id: string): LogFile {
    const name = folderNameOf(id);
    const log = this.#logs.get(name) ?? new LogFile(join(this.#root, name, "log.jsonl"));
    this.#logs.delete(name);
    this.#logs.set(name, log);
    for (const oldest of this.#logs.keys()) {
      if (this.#logs.size <= maxLogs) break;
      this.#logs.delete(oldest);
    }
    return log;
  }

  /** Drops cached facts about a log that may be wrong. */
  forget(id: string): void {
    this.#logs.delete(folderNameOf(id));
  }

  /** Undefined if there is no such session. */
  state(id: string): SessionState | undefined {
    return this.#stateIn(folderNameOf(id));
  }

  states(): SessionState[] {
    const names = readdirSync(this.#root).filter((name) => !isUnderWay(name));
    if (this.#seen.size > 2 * names.length + maxLogs) this.#seen.clear();
    return names.flatMap((name) => this.#stateIfSound(name) ?? []);
  }

  /** A damaged session must not hide the others. Reading it reports the damage. */
  #stateIfSound(name: string): SessionState | undefined {
    try {
      return this.#stateIn(name);
    } catch (thrown) {
      if (isRepositoryError(thrown)) return undefined;
      throw thrown;
    }
  }

  #stateIn(name: string): SessionState | undefined {
    const path = join(this.#root, name, "log.jsonl");
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const { ino, size, mtimeMs } = stat;
    const seen = this.#seen.get(name);
    if (seen?.ino === ino && seen.size === size && seen.mtimeMs === mtimeMs) return seen.state;
    const state = readState(path);
    if (state !== undefined) this.#seen.set(name, { ino, size, mtimeMs, state });
    return state;
  }
}

/** Reads from the end of the file, as far back as needed. */
function readState(path: string): SessionState | undefined {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
  try {
    const { size } = fstatSync(fd);
    for (let length = tailBytes; ; length *= 8) {
      const bytes = Buffer.alloc(Math.min(size, length));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      const state = lastState(bytes, bytes.length === size);
      if (state !== undefined) return state;
      if (bytes.length === size) throw damaged(path);
    }
  } finally {
    closeSync(fd);
  }
}

function damaged(path: string): RepositoryError {
  const message = `The log ${path} is damaged: it has no state line. Restore it from a backup`;
  return new RepositoryError("unavailable", "", message);
}

/** A new name is durable only after its folder is synced. */
function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
