/** Where a path of the model really leads, and that this is inside the folders that it may use. */
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { FileError, onFile } from "./file-error.ts";

export interface WorkspaceOptions {
  /** Where relative paths begin; it and what is below may be used. Default: the `cwd` of the turn, or else of the process. */
  readonly cwd?: string;
  /** Further folders that may be used. */
  readonly roots?: readonly string[];
}

/** The folders of one call, each as it was given and as it really is. */
export interface Workspace {
  readonly cwd: string;
  readonly roots: readonly { readonly given: string; readonly real: string }[];
}

/** Where a file is or will be. */
export interface Target {
  /** The nearest folder that is there, by its real path. */
  readonly folder: string;
  /** Folders to be made below it, outermost first. */
  readonly missing: readonly string[];
  readonly name: string;
}

// Without its name: where it lies is not for the model.
const noFolder = "The working folder is not there any more. Tell the user: no path can be used.";
const nulInPath = "A path cannot contain a NUL character. Use ls to see what there is.";

export async function openWorkspace(
  options: WorkspaceOptions,
  turnCwd: string | undefined,
): Promise<Workspace> {
  const cwd = resolve(options.cwd ?? turnCwd ?? process.cwd());
  const given = [cwd, ...(options.roots ?? []).map((root) => resolve(cwd, root))];
  const real = await Promise.all(
    given.map((folder) =>
      realpath(folder).catch((cause: unknown) => {
        throw new FileError("missing", noFolder, { cause });
      }),
    ),
  );
  return { cwd, roots: given.map((folder, index) => ({ given: folder, real: real[index] ?? "" })) };
}

/**
 * The real path of what is there, with every symbolic link resolved. Throws `FileError`: `outside` for what lies
 * elsewhere, whether it exists or not, `missing` for what is not there.
 */
export async function locate(workspace: Workspace, path: string): Promise<string> {
  const wanted = toWanted(workspace, path);
  try {
    const real = await onFile(path, () => realpath(wanted));
    if (!isAllowed(workspace, real)) throw outside(path);
    return real;
  } catch (thrown) {
    // That something is missing may be said of places inside only.
    const { real } = await nearestReal(dirname(wanted));
    if (!isAllowed(workspace, real)) throw outside(path);
    throw thrown;
  }
}

/** The same for a file that need not be there. What is not there is judged by the nearest folder that is. */
export async function locateTarget(workspace: Workspace, path: string): Promise<Target> {
  const wanted = toWanted(workspace, path);
  const { place, real } = await nearestReal(wanted);
  if (!isAllowed(workspace, real)) throw outside(path);
  if (place === wanted) return { folder: dirname(real), missing: [], name: basename(real) };
  const below = relative(place, wanted).split(sep);
  return { folder: real, missing: below.slice(0, -1), name: basename(wanted) };
}

/** A real path as the model may write it: relative where it is below the working folder. */
export function toShownPath({ cwd, roots }: Workspace, real: string): string {
  const home = roots[0]?.real ?? cwd;
  return isInside(real, home) ? relative(home, real) || "." : real;
}

/** The root that a real path is in. */
export function rootOf({ roots }: Workspace, real: string): string {
  return roots.find((root) => isInside(real, root.real))?.real ?? real;
}

function toWanted({ cwd, roots }: Workspace, path: string): string {
  if (path.includes("\0")) throw new FileError("missing", nulInPath);
  const wanted = resolve(cwd, path);
  // Either spelling of a root will do: the model may have seen the real one.
  if (roots.some(({ given, real }) => isInside(wanted, given) || isInside(wanted, real))) {
    return wanted;
  }
  throw outside(path);
}

function isAllowed({ roots }: Workspace, real: string): boolean {
  return roots.some((root) => isInside(real, root.real));
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function nearestReal(place: string): Promise<{ place: string; real: string }> {
  try {
    return { place, real: await realpath(place) };
  } catch (cause) {
    // Not there either, or not to be entered: its parent decides. The root of the file system always resolves.
    if (dirname(place) === place) throw cause;
    return nearestReal(dirname(place));
  }
}

function outside(path: string): FileError {
  return new FileError(
    "outside",
    `${path} is outside the working folder. Only paths inside it can be used; "." is the folder itself.`,
  );
}
