/** An open folder: all operations happen in it, whatever happens to its path. */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FileError, onFile } from "./file-error.ts";

// Windows lacks the last three, and cannot open folders.
const noFollow = constants.O_NOFOLLOW ?? 0;
const folderFlags = constants.O_RDONLY | noFollow | (constants.O_DIRECTORY ?? 0);
const readFlags = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0);

/**
 * Linux names open folders in /proc, and a path that begins there cannot be redirected by replacing a parent folder
 * with a link. Other systems use the path itself, and `confirm` checks after each use that it still leads here.
 */
export class Folder {
  readonly real: string;
  readonly #handle: FileHandle | undefined;
  readonly #base: string;

  private constructor(real: string, handle: FileHandle | undefined, base: string) {
    this.real = real;
    this.#handle = handle;
    this.#base = base;
  }

  /** `real` is a path without links; `path` is the path the model wrote. */
  static async open(real: string, path: string): Promise<Folder> {
    const folder = await Folder.#at(real, real, path);
    try {
      await folder.#requireAt(path);
      return folder;
    } catch (thrown) {
      await folder.close();
      throw thrown;
    }
  }

  static async #at(location: string, real: string, path: string): Promise<Folder> {
    if (process.platform === "win32") return new Folder(real, undefined, real);
    const handle = await onFile(path, () => open(location, folderFlags));
    const base = `/proc/self/fd/${handle.fd}`;
    const isNamed = await readlink(base).then(
      () => true,
      () => false,
    );
    return new Folder(real, handle, isNamed ? base : real);
  }

  get #isNamed(): boolean {
    return this.#base !== this.real;
  }

  async #requireAt(path: string): Promise<void> {
    const found = this.#isNamed ? readlink(this.#base) : realpath(this.real);
    if ((await onFile(path, () => found)) !== this.real) throw replaced(path);
  }

  /** Path of the folder itself, for `node:fs`. */
  get here(): string {
    return this.#isNamed ? `${this.#base}/.` : this.#base;
  }

  /** Path of the entry `name`, for `node:fs`. */
  at(name: string): string {
    return join(this.#base, name);
  }

  /** Opens a subfolder. Rejects a link. */
  enter(name: string, path: string): Promise<Folder> {
    return Folder.#at(this.at(name), join(this.real, name), path);
  }

  /** Throws if the path may have led elsewhere in the meantime. */
  async confirm(path: string): Promise<void> {
    if (!this.#isNamed) await this.#requireAt(path);
  }

  /** Opens a regular file in it for reading. */
  async openFile(name: string, path: string): Promise<FileHandle> {
    // Opening a device may have side effects: check first.
    requireFile(await onFile(path, () => lstat(this.at(name))), path);
    const handle = await onFile(path, () => open(this.at(name), readFlags));
    try {
      requireFile(await handle.stat(), path);
      await this.confirm(path);
      return handle;
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

/** Runs `work` in the folder and closes it afterwards. */
export async function inFolder<Result>(
  opening: Promise<Folder>,
  work: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  const folder = await opening;
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/** Opens the folder of an existing file, by the file's real path. */
export async function openFolderOf(real: string, path: string): Promise<Folder> {
  // If the path is a root folder, its parent is outside and must not be opened.
  requireFile(await onFile(path, () => lstat(real)), path);
  return Folder.open(dirname(real), path);
}

/** Opens a file by its real path, for reading. */
export async function openFile(real: string, path: string): Promise<FileHandle> {
  return inFolder(openFolderOf(real, path), (opened) => opened.openFile(basename(real), path));
}

interface Kind {
  isFile(): boolean;
  isDirectory(): boolean;
}

export function requireFile(stats: Kind, path: string): void {
  if (stats.isFile()) return;
  throw new FileError(
    "wrong_kind",
    stats.isDirectory()
      ? `${path} is a folder. Use ls to list it.`
      : `${path} is not a regular file. Use another path.`,
  );
}

function replaced(path: string): FileError {
  return new FileError("unreadable", `${path} was replaced while it was being opened. Retry.`);
}
