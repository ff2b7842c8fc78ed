/** Where a path of the model really leads, and that this is inside the working folder. */
import { realpath } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { FileError, onFile } from "./file-error.ts";

const nulInPath = "A path cannot contain a NUL character. Use ls to see what there is.";
// Without its name: where it lies is not for the model.
const noFolder = "The working folder is not there any more. Tell the user: no path can be used.";

/**
 * The real path of `path`, taken from `cwd` (default: that of the process), with every symbolic link resolved.
 * Throws `FileError`: `outside` for what lies elsewhere, whether it exists or not, `missing` for what is not there.
 */
export async function resolveContained(path: string, cwd: string | undefined): Promise<string> {
  if (path.includes("\0")) throw new FileError("missing", nulInPath);
  const folder = resolve(cwd ?? process.cwd());
  const root = await realpath(folder).catch((cause: unknown) => {
    throw new FileError("missing", noFolder, { cause });
  });
  const wanted = resolve(folder, path);
  // Either spelling of the root will do: the model may have seen the real one.
  if (!isInside(wanted, folder) && !isInside(wanted, root)) throw outside(path);
  try {
    const real = await onFile(path, () => realpath(wanted));
    if (!isInside(real, root)) throw outside(path);
    return real;
  } catch (thrown) {
    // That something is missing may be said of places inside only.
    if (!isInside(await nearestReal(dirname(wanted)), root)) throw outside(path);
    throw thrown;
  }
}

/** Refuses what has been swapped for something else since `real` was resolved: a folder on the way for a link, say. */
export async function requireUnmoved(real: string, path: string): Promise<void> {
  if ((await onFile(path, () => realpath(real))) !== real) throw replaced(path);
}

export function replaced(path: string): FileError {
  return new FileError("unreadable", `${path} was replaced while it was opened. Try again.`);
}

function outside(path: string): FileError {
  return new FileError(
    "outside",
    `${path} is outside the working folder. Only paths inside it can be used; "." is the folder itself.`,
  );
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

async function nearestReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Not there either, or not to be entered: its parent decides. The root of the file system always resolves.
    return nearestReal(dirname(path));
  }
}
