/** A folder that was opened, so that what is done in it happens there, whatever becomes of the path that led to it. */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FileError, onFile } from "./file-error.ts";

// Windows has none of the last three, and opens no folders.
const noFollow = constants.O_NOFOLLOW ?? 0;
const folderFlags = constants.O_RDONLY | noFollow | (constants.O_DIRECTORY ?? 0);
const readFlags = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0);

/**
 * Linux names open folders in /proc, and a path that begins there cannot be led elsewhere by swapping a folder on the way
 * for a link. Other systems get the path itself, and `confirm` looks after each use whether it still leads here.
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

  /** `real` is a path without links; `path` is what the model wrote. */
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

  static async #at(place: string, real: string, path: string): Promise<Folder> {
    if (process.platform === "win32") return new Folder(real, undefined, real);
    const handle = await onFile(path, () => open(place, folderFlags));
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

  /** The folder itself, for `node:fs`. */
  get here(): string {
    return this.#isNamed ? `${this.#base}/.` : this.#base;
  }

  /** What is called `name` in it, for `node:fs`. */
  at(name: string): string {
    return join(this.#base, name);
  }

  /** A folder in it. A link is refused. */
  enter(name: string, path: string): Promise<Folder> {
    return Folder.#at(this.at(name), join(this.real, name), path);
  }

  /** Refuses what was done if the path may have led elsewhere meanwhile. */
  async confirm(path: string): Promise<void> {
    if (!this.#isNamed) await this.#requireAt(path);
  }

  /** A regular file in it, to be read. */
  async openFile(name: string, path: string): Promise<FileHandle> {
    // A device might act on being opened: look first.
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

/** Runs `work` in the folder, which is closed afterwards. */
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

/** The folder of a file that is there, by the real path of the file. */
export async function openFolderOf(real: string, path: string): Promise<Folder> {
  // Of a root that is a folder the parent is outside, and must not be opened.
  requireFile(await onFile(path, () => lstat(real)), path);
  return Folder.open(dirname(real), path);
}

/** Opens a file by its real path, to be read. */
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
      : `${path} is not a regular file, so it cannot be used. Use another path.`,
  );
}

function replaced(path: string): FileError {
  return new FileError("unreadable", `${path} was replaced while it was opened. Try again.`);
}
