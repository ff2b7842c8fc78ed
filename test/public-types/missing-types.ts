/** Finds the types that the public signatures of a package use and that its users cannot import. */
import { join } from "node:path";
import { fileOf, keyOf, namesIn, packages, resolve } from "../../scripts/reference/declarations.ts";
import type { Declaration } from "../../scripts/reference/declarations.ts";

/**
 * Returns `name (used by name)` for each type that no entry of these exports. Types of @capstan/log are taken as a whole: what they are made
 * of concerns authors of stores, who have that package.
 */
export function missingTypes(entries: readonly string[]): readonly string[] {
  const listed = entries.flatMap((entry) => {
    const { exported } = fileOf(entry);
    return Array.from(exported, (name) => resolve({ file: entry, name }));
  });
  const known = new Set(listed.map(keyOf));
  const missing = listed
    .filter(({ file }) => !file.startsWith(join(packages, "log")))
    .flatMap((user) =>
      usedBy(user)
        // A type that extends one of its own name replaces it.
        .filter((used) => !known.has(keyOf(used)) && used.name !== user.name)
        .map((used) => `${used.name} (used by ${user.name})`),
    );
  return [...new Set(missing)].toSorted();
}

/** Types that a declaration names. Those that their file keeps to itself count as written out. */
function usedBy({ file, name }: Declaration, seen = new Set<string>()): readonly Declaration[] {
  const { declared, exported } = fileOf(file);
  const nodes = declared.get(name);
  if (nodes === undefined || seen.has(name)) return [];
  seen.add(name);
  return namesIn(nodes).flatMap((used) => {
    if (declared.has(used) && !exported.has(used)) return usedBy({ file, name: used }, seen);
    const found = resolve({ file, name: used });
    return fileOf(found.file).declared.has(found.name) ? [found] : [];
  });
}
