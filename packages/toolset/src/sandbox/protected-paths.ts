/** Files in a writable folder that run code later, such as the hooks of git: commands must not change them. */
import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { rename, symlink } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { Folder, inFolder } from "../files/folder.ts";
import { FileError } from "../files/file-error.ts";

/** Protected in every folder that has them, if no other list is given. */
export const usualProtectedPaths: readonly string[] = [".git"];

/** Git needs to change the rest of its folder to commit. `commondir` and the folders of worktrees would lead it to another configuration. */
const gitParts = ["config", "config.worktree", "hooks", "commondir", "modules", "worktrees"];

export interface Protection {
  readonly readOnly: readonly string[];
  readonly pinned: readonly string[];
  /** Paths that cannot be mounted over, because they do not exist or are links: they are looked at again afterwards. */
  readonly unmounted: readonly Unmounted[];
}

interface Unmounted {
  readonly path: string;
  /** Undefined: there was nothing. */
  readonly link: string | undefined;
  /** True for a folder on the way: commands may make it, but not as a link. */
  readonly mayBeFolder?: boolean;
}

/** `folder` is a real path, and `root` the writable path that contains it. `isOpen` tells paths that may be changed. */
export function protectionOf(
  folder: string,
  root: string,
  paths: readonly string[],
  isOpen: (path: string) => boolean,
): Protection {
  const present = namesIn(folder);
  const found = (basename(folder) === ".git" ? gitParts : paths)
    .filter((path) => !isOpen(join(folder, path)))
    .flatMap((path) => (path === ".git" && isFolder(join(folder, path)) ? gitPaths : [path]))
    .filter((path) => !isOpen(join(folder, path)))
    .map((path) => {
      const isThere = present.has(path.split("/")[0] ?? "");
      return { path: join(folder, path), kind: isThere ? kindOf(join(folder, path)) : "nothing" };
    });
  const readOnly = found
    // A path that leads through a link cannot be mounted: the link itself is looked at afterwards.
    .filter(({ path, kind }) => kind === "other" && realpathSync(path) === path)
    .map(({ path }) => path);
  const ways = [...new Set(found.flatMap(({ path }) => foldersBetween(root, path)))];
  return {
    readOnly,
    pinned: ways.filter(isFolder),
    unmounted: [
      ...ways
        .filter((path) => !isFolder(path))
        .map((path) => ({ path, link: linkAt(path), mayBeFolder: true })),
      ...found
        .filter(({ kind }) => kind !== "other")
        .map(({ path }) => ({ path, link: linkAt(path) })),
    ],
  };
}

/** Returns the paths that exist in the folder. Empty if a link leads to it. */
export function pathsIn(folder: string, paths: readonly string[]): readonly string[] {
  if (!isFolder(folder) || realpathSync(folder) !== folder) return [];
  return paths.filter((path) => kindOf(join(folder, path)) !== "nothing");
}

const gitPaths = gitParts.map((part) => `.git/${part}`);

/** Folders on the way from the root to the path. Renaming one would take what is mounted below it along. */
export function foldersBetween(root: string, path: string): readonly string[] {
  if (path === root) return [];
  const parts = relative(root, dirname(path)).split(sep).filter(Boolean);
  return parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
}

function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch {
    // Not readable, or gone: nothing in it can be mounted over.
    return new Set();
  }
}

function kindOf(path: string): "nothing" | "link" | "other" {
  try {
    return lstatSync(path).isSymbolicLink() ? "link" : "other";
  } catch {
    // Missing, or below something that is not a folder.
    return "nothing";
  }
}

function linkAt(path: string): string | undefined {
  return kindOf(path) === "link" ? readlinkSync(path) : undefined;
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    // There is none.
    return false;
  }
}

/** Renames protected files that a command has made, so that nothing reads them, and returns the new paths. */
export async function setAside(unmounted: readonly Unmounted[]): Promise<readonly string[]> {
  const moved: string[] = [];
  for (const { path, link, mayBeFolder } of unmounted) {
    const kind = kindOf(path);
    if (mayBeFolder === true && link === undefined && kind !== "link") continue;
    if (kind === "nothing" ? link === undefined : isSameLink(path, link)) continue;
    const target = await moveAside(path, kind === "nothing" ? undefined : freeName(path), link);
    if (target !== undefined) moved.push(target);
  }
  return moved;
}

function isSameLink(path: string, link: string | undefined): boolean {
  return link !== undefined && linkAt(path) === link;
}

function freeName(path: string): string {
  const free = Array.from({ length: 1000 }, (_, index) => `${path}.refused${index || ""}`).find(
    (name) => kindOf(name) === "nothing",
  );
  return basename(free ?? `${path}.refused-${process.pid}`);
}

/** Works in the open folder: a link on the way, which the command may have made, must not lead elsewhere. */
async function moveAside(
  path: string,
  name: string | undefined,
  link: string | undefined,
): Promise<string | undefined> {
  const folder = dirname(path);
  try {
    return await inFolder(Folder.open(folder, path), async (opened) => {
      if (name !== undefined) await rename(opened.at(basename(path)), opened.at(name));
      if (link !== undefined) await symlink(link, opened.at(basename(path)));
      return join(folder, name ?? basename(path));
    });
  } catch (thrown) {
    // The path leads through a link, or has changed again: it is not in this folder.
    if (thrown instanceof FileError || isSystemError(thrown)) return undefined;
    throw thrown;
  }
}

function isSystemError(thrown: unknown): boolean {
  return thrown instanceof Error && "syscall" in thrown;
}
