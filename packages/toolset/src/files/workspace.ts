/** Resolves the model's paths, and checks that they are inside the folders it may use. */
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { FileError, onFile } from "./file-error.ts";

/** Folders that tools may use. */
export interface WorkspaceOptions {
  /** Base of relative paths; it and everything below may be used. Default: the turn's `cwd`, or else that of the process. */
  readonly cwd?: string;
  /** Additional folders that may be used. */
  readonly roots?: readonly string[];
  /** Sentence that is added to the error about a path outside: how a user can allow more folders. */
  readonly outsideAdvice?: string;
  /** Leaves files out of what `ls`, `glob` and `grep` find; gets real paths. A file that a call names itself is not checked. */
  isHidden?(path: string): boolean;
}

/** Folders of one call, each as given and as its real path. */
export interface Workspace {
  readonly cwd: string;
  readonly roots: readonly { readonly given: string; readonly real: string }[];
  readonly outsideAdvice?: string | undefined;
}

/** Location of a file that exists or will be created. */
export interface Target {
  /** Real path of the nearest existing folder. */
  readonly folder: string;
  /** Folders to create below it, outermost first. */
  readonly missing: readonly string[];
  readonly name: string;
}

// Without its path, which the model must not see.
const noFolder = "The working folder no longer exists. Tell the user: no path can be used.";
const nulInPath = "A path cannot contain a NUL character. Use ls to see which files exist.";

const homeInPath =
  'The home folder cannot be used: "~" is not replaced here. Use a path inside the working folder; for a folder that is really called "~", write "./~".';

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
  const roots = given.map((folder, index) => ({ given: folder, real: real[index] ?? "" }));
  return { cwd, roots, outsideAdvice: options.outsideAdvice };
}

/**
 * Returns the real path of an existing file, with every symbolic link resolved. Throws `FileError`: `outside` for a path
 * elsewhere, whether it exists or not, `missing` if it does not exist.
 */
export async function locate(workspace: Workspace, path: string): Promise<string> {
  const wanted = toWanted(workspace, path);
  try {
    const real = await onFile(path, () => realpath(wanted));
    if (!isAllowed(workspace, real)) throw outside(workspace, path);
    return real;
  } catch (thrown) {
    // Only paths inside may be reported as missing.
    const { real } = await nearestReal(dirname(wanted));
    if (!isAllowed(workspace, real)) throw outside(workspace, path);
    throw thrown;
  }
}

/** Like `locate`, for a file that need not exist. A missing path is judged by the nearest existing folder. */
export async function locateTarget(workspace: Workspace, path: string): Promise<Target> {
  const wanted = toWanted(workspace, path);
  const { found, real } = await nearestReal(wanted);
  if (!isAllowed(workspace, real)) throw outside(workspace, path);
  if (found === wanted) return { folder: dirname(real), missing: [], name: basename(real) };
  const below = relative(found, wanted).split(sep);
  return { folder: real, missing: below.slice(0, -1), name: basename(wanted) };
}

/** Returns a real path as the model may write it: relative if it is below the working folder. */
export function toShownPath({ cwd, roots }: Workspace, real: string): string {
  const home = roots[0]?.real ?? cwd;
  return isInside(real, home) ? relative(home, real) || "." : real;
}

/** Returns the root that contains a real path. */
export function rootOf({ roots }: Workspace, real: string): string {
  return roots.find((root) => isInside(real, root.real))?.real ?? real;
}

function toWanted(workspace: Workspace, path: string): string {
  const { cwd, roots } = workspace;
  if (path.includes("\0")) throw new FileError("missing", nulInPath);
  if (path === "~" || path.startsWith("~/")) throw new FileError("outside", homeInPath);
  const wanted = resolve(cwd, path);
  // Both spellings of a root are accepted: the model may have seen the real one.
  if (roots.some(({ given, real }) => isInside(wanted, given) || isInside(wanted, real))) {
    return wanted;
  }
  throw outside(workspace, path);
}

function isAllowed({ roots }: Workspace, real: string): boolean {
  return roots.some((root) => isInside(real, root.real));
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function nearestReal(path: string): Promise<{ found: string; real: string }> {
  try {
    return { found: path, real: await realpath(path) };
  } catch (cause) {
    // Missing too, or not accessible: its parent decides. The root of the file system always resolves.
    if (dirname(path) === path) throw cause;
    return nearestReal(dirname(path));
  }
}

function outside({ outsideAdvice }: Workspace, path: string): FileError {
  const refusal = `${path} is outside the working folder. Only paths inside it can be used; "." is the folder itself.`;
  return new FileError(
    "outside",
    outsideAdvice === undefined ? refusal : `${refusal} ${outsideAdvice}`,
  );
}
