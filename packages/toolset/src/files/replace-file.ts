/** Replaces a file atomically: readers see the old content or the new, never a part. */
import type { BigIntStats } from "node:fs";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { access, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { FileError, onFile } from "./file-error.ts";
import { join } from "node:path";
import { Folder, requireFile } from "./folder.ts";
import { noteTemporary, temporaryName } from "./temporary-files.ts";
import type { Target } from "./workspace.ts";

/** Opens the folder of a target and creates missing ones. */
export async function enterFolderOf(target: Target, path: string): Promise<Folder> {
  let folder = await Folder.open(target.folder, path);
  for (const name of target.missing) {
    const parent = folder;
    try {
      await onFile(path, () => mkdir(parent.at(name)).catch(ignoreExisting));
      folder = await parent.enter(name, path);
    } finally {
      await parent.close();
    }
  }
  return folder;
}

function ignoreExisting(cause: unknown): void {
  // Another process created it at the same time. Entering it shows what it is.
  if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
}

/** Stats of the existing file, if it is writable. Undefined if there is none. */
export async function statTarget(
  folder: Folder,
  name: string,
  path: string,
): Promise<BigIntStats | undefined> {
  const stats = await onFile(path, () =>
    lstat(folder.at(name), { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return undefined;
      throw cause;
    }),
  );
  if (stats === undefined) return undefined;
  requireFile(stats, path);
  // A rename does not check write permission on the file it replaces.
  await onFile(path, () => access(folder.at(name), constants.W_OK));
  return stats;
}

const createFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** `before` is the result of `statTarget`: if the file has changed since, nothing is written. Keeps mode and owner. */
export async function replaceFile(
  folder: Folder,
  name: string,
  bytes: Buffer,
  { before, path }: { readonly before: BigIntStats | undefined; readonly path: string },
): Promise<void> {
  const temporaryFile = temporaryName();
  const temporary = folder.at(temporaryFile);
  // Without a note, the file of a killed process would stay: no reason not to write.
  const forget = await noteTemporary(join(folder.real, temporaryFile)).catch(() => undefined);
  const handle = await onFile(path, () => open(temporary, createFlags, 0o666));
  try {
    // Nothing has been written yet, in case the path led elsewhere.
    await folder.confirm(path);
    await onFile(path, () => fill(handle, bytes, before));
    const now = await statTarget(folder, name, path);
    if (!isSame(now, before)) throw changed(path);
    await onFile(path, () => rename(temporary, folder.at(name)));
  } catch (thrown) {
    // It may be gone, or not removable: the first failure is the one to report.
    await unlink(temporary).catch(() => {});
    throw thrown;
  } finally {
    await forget?.();
  }
}

async function fill(
  handle: FileHandle,
  bytes: Buffer,
  before: BigIntStats | undefined,
): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (before !== undefined) {
      // Only root may change the owner; for others the file stays their own.
      await handle.chown(Number(before.uid), Number(before.gid)).catch(() => {});
      await handle.chmod(Number(before.mode) & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isSame(now: BigIntStats | undefined, before: BigIntStats | undefined): boolean {
  if (now === undefined || before === undefined) return now === before;
  return now.ino === before.ino && now.mtimeNs === before.mtimeNs && now.size === before.size;
}

function changed(path: string): FileError {
  return new FileError(
    "changed",
    `${path} was changed by another process in the meantime. Nothing was written: read it again.`,
  );
}
