/** The project that a folder belongs to. */
import { lstat, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

export const projectFileName = "capstan.json";

/**
 * The nearest folder upwards that holds .git or capstan.json, else the folder itself. `cwd` is a real path. Folders above it that
 * everybody may write to, as /tmp, are not looked at: what is there may be anybody's.
 */
export async function findProject(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder !== cwd && (await isEverybodys(folder))) return cwd;
    if (await hasMark(folder)) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

async function hasMark(folder: string): Promise<boolean> {
  const marks = await Promise.all(
    [".git", projectFileName].map((name) => isThere(join(folder, name))),
  );
  return marks.includes(true);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    // Not there, or not to be looked at: no mark either way.
    return false;
  }
}

async function isEverybodys(folder: string): Promise<boolean> {
  // Windows has no such bits.
  if (process.platform === "win32") return false;
  return ((await stat(folder)).mode & 0o002) !== 0;
}
