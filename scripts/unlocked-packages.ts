/** Finds the optional packages that a lockfile of npm names and does not lock: `npm ci` refuses such a file. */

/** An entry of `packages` in a package-lock.json of lockfileVersion 3, as far as this needs it. */
export interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly peer?: boolean;
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly os?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface UnlockedPackage {
  readonly name: string;
  readonly range: string;
  /** The entry that depends on it. */
  readonly dependent: LockedPackage;
}

export function unlockedPackages(
  packages: Readonly<Record<string, LockedPackage>>,
): UnlockedPackage[] {
  return Object.entries(packages).flatMap(([location, dependent]) =>
    Object.entries(dependent.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(packages, name, location))
      .map(([name, range]) => ({ name, range, dependent })),
  );
}

function isLocked(
  packages: Readonly<Record<string, LockedPackage>>,
  name: string,
  location: string,
): boolean {
  for (let folder = location; ; folder = folder.slice(0, folder.lastIndexOf("/node_modules/"))) {
    if (packages[`${folder}/node_modules/${name}`] !== undefined) return true;
    if (!folder.includes("/node_modules/")) return packages[`node_modules/${name}`] !== undefined;
  }
}
