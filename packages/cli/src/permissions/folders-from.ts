/** Folders after a change of folder. */
import { placesOf } from "./path-pattern.ts";

/** Undefined if any of the folders would be outside of the working folder, or is reached by a link. */
export function foldersFrom(
  folders: ReadonlySet<string>,
  target: string,
  cwd: string,
): ReadonlySet<string> | undefined {
  // -: the last folder. An empty name, and names that CDPATH would be searched for, stay where they are or fail.
  if (target === "" || target.startsWith("-") || target.startsWith("+")) return undefined;
  const next = [...folders].map((folder) => placesOf(target, folder)?.written.absolute);
  const isInside = next.every((path) => {
    const places = path === undefined ? undefined : placesOf(path, cwd);
    const inside = places?.written.inside;
    return inside !== undefined && inside === places?.real.inside;
  });
  return isInside ? new Set(next.filter((path) => path !== undefined)) : undefined;
}
