/** Whether a path is in a folder, and how to get there. */
import { isAbsolute, relative, sep } from "node:path";

/** From the folder on: empty for the folder itself, undefined for what is outside. Links are not looked at. */
export function wayInside(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  return isOutside ? undefined : way;
}
