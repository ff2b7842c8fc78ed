// Run after every change of a dependency: `node scripts/complete-lockfile.ts`, with the folder of another lockfile if there is one.
//
// npm leaves an optional package out of package-lock.json when the registry it asked does not have
// that version (a mirror without the packages of other platforms, say), and `npm ci` then refuses
// the lockfile on every platform. This adds the missing entries. They have no integrity value: npm
// fetches them only on the platform they name.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Platform {
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly os?: readonly string[];
}

interface Entry extends Platform {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly peer?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const [folder = "."] = process.argv.slice(2);
const path = join(import.meta.dirname, "..", folder, "package-lock.json");
// npm's own file, in the format of lockfileVersion 3.
const lockfile = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, Entry> };
const { packages } = lockfile;

for (const [location, entry] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(name, location)) continue;
    const version = /^=?(\d+\.\d+\.\d+[-.\w]*)$/.exec(range)?.[1];
    if (version === undefined) throw new Error(`${name} is not locked, and ${range} is a range`);
    const { cpu, libc, os } = platformOf(name);
    packages[`node_modules/${name}`] = {
      version,
      ...(cpu && { cpu }),
      ...(entry.dev && { dev: true }),
      ...(libc && { libc }),
      optional: true,
      ...(os && { os }),
      ...(entry.peer && { peer: true }),
    };
    console.log(`added ${name}@${version}`);
  }
}

const sorted = Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, "en"));
lockfile.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`);

function isLocked(name: string, location: string): boolean {
  for (let folder = location; ; folder = folder.slice(0, folder.lastIndexOf("/node_modules/"))) {
    if (packages[`${folder}/node_modules/${name}`] !== undefined) return true;
    if (!folder.includes("/node_modules/")) return packages[`node_modules/${name}`] !== undefined;
  }
}

/** What the newest version at hand says about its platform. */
function platformOf(name: string): Platform {
  // WebAssembly builds are for hosts without a native one, and not all of them say so.
  if (name.includes("wasm32")) return { cpu: ["wasm32"] };
  const output = execFileSync("npm", ["view", name, "--json"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  // A package document of the registry: the three fields are lists or absent.
  const platform = JSON.parse(output) as Platform;
  if (platform.os === undefined) throw new Error(`${name} names no platform`);
  return platform;
}
