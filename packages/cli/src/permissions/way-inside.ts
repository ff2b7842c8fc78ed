/** Relative path inside a folder, if the path is in it. */
import { isAbsolute, relative, sep } from "node:path";

/** Returns the path relative to the folder: empty for the folder itself, undefined outside of it. Does not resolve links. */
export function wayInside(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  return isOutside ? undefined : way;
}
