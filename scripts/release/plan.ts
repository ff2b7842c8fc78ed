/** Plans a release: the versions, the order of publishing and the section of the changelog. */

/** The part of a package.json that a release reads and changes. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly [field: string]: unknown;
}

const dependencyFields = ["dependencies", "devDependencies", "peerDependencies"];

/** Throws unless the version is newer than the current one, in the sense of semver. */
export function checkVersion(version: string, current: string): void {
  if (!/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(version)) {
    throw new Error(`"${version}" is not a version such as 0.2.0 or 0.2.0-beta.1.`);
  }
  if (compare(version, current) <= 0) {
    throw new Error(`${version} is not newer than ${current}, the version of the packages.`);
  }
}

/** Returns the manifest with the new version, also of the released packages that it depends on. */
export function withVersion(
  manifest: Manifest,
  version: string,
  released: ReadonlySet<string>,
): Manifest {
  const changed: Record<string, unknown> = { ...manifest };
  if (manifest.version !== undefined) changed["version"] = version;
  for (const field of dependencyFields) {
    const dependencies = manifest[field] as Record<string, string> | undefined;
    if (dependencies === undefined) continue;
    changed[field] = Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [
        name,
        released.has(name) ? version : range,
      ]),
    );
  }
  return changed;
}

/** Returns the names so that each package comes after those that it depends on: a published one can be installed at once. */
export function publishOrder(manifests: readonly Manifest[]): readonly string[] {
  const byName = new Map(manifests.map((manifest) => [manifest.name ?? "", manifest]));
  const order = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) throw new Error(`Packages depend on each other: ${path.join(" → ")}.`);
    const { dependencies = {} } = byName.get(name) as { dependencies?: Record<string, string> };
    const own = Object.keys(dependencies).filter((dependency) => byName.has(dependency));
    for (const dependency of own.toSorted()) visit(dependency, [...path, name]);
    order.add(name);
  };
  for (const name of [...byName.keys()].toSorted()) visit(name, []);
  return [...order];
}

/** Returns what users are told, and the changelog in which it has its own section. Throws if there is nothing to tell. */
export function releaseNotes(
  changelog: string,
  version: string,
  date: string,
): { readonly notes: string; readonly changelog: string } {
  const heading = "## Unreleased\n";
  const start = changelog.indexOf(heading);
  if (start === -1) throw new Error('CHANGELOG.md has no section "Unreleased".');
  const body = changelog.slice(start + heading.length);
  const next = body.search(/^## /m);
  const notes = (next === -1 ? body : body.slice(0, next)).trim();
  if (notes === "") throw new Error('The section "Unreleased" of CHANGELOG.md is empty.');
  const section = `${heading}\n## ${version} (${date})\n`;
  return { notes, changelog: changelog.replace(heading, section) };
}

function compare(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? 0;
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}

/** A version before a release is older than the release. */
function partsOf(version: string): readonly (number | string)[] {
  const [numbers = "", label] = version.split("-");
  const [name, count] = label?.split(".") ?? ["~", "0"];
  return [...numbers.split(".").map(Number), name ?? "", Number(count)];
}
