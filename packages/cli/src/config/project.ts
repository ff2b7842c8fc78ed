/** Finds the project that a folder belongs to. */
import { lstat, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

export const projectFileName = "capstan.json";

/**
 * Returns the nearest folder upwards that contains .git or capstan.json, else the folder itself. `cwd` is a real path. Stops at
 * world-writable folders above it, such as /tmp: any user may have put files there.
 */
export async function findProject(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder !== cwd && (await isWorldWritable(folder))) return cwd;
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
    // Missing or not accessible: no mark either way.
    return false;
  }
}

async function isWorldWritable(folder: string): Promise<boolean> {
  // Windows has no such bits.
  if (process.platform === "win32") return false;
  return ((await stat(folder)).mode & 0o002) !== 0;
}
