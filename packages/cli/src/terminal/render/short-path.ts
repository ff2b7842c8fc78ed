/** Paths for people. */
import { sep } from "node:path";

/** The user's home folder is `~`. */
export function shortPath(path: string, home: string): string {
  return path === home || path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}
