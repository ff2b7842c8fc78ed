// Run after every change of a dependency: `node scripts/complete-lockfile.ts`, with the folder of another lockfile if there is one.
//
// npm leaves an optional package out of package-lock.json when the registry it asked does not have
// that version (a mirror without the packages of other platforms, say), and `npm ci` then refuses
// the lockfile on every platform. This adds the missing entries. They have no integrity value: npm
// fetches them only on the platform they name.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unlockedPackages } from "./unlocked-packages.ts";
import type { LockedPackage } from "./unlocked-packages.ts";

type Platform = Pick<LockedPackage, "cpu" | "libc" | "os">;

const [folder = "."] = process.argv.slice(2);
const path = join(import.meta.dirname, "..", folder, "package-lock.json");
// npm's own file, in the format of lockfileVersion 3.
const lockfile = JSON.parse(readFileSync(path, "utf8")) as {
  packages: Record<string, LockedPackage>;
};
const { packages } = lockfile;

for (const { name, range, dependent } of unlockedPackages(packages)) {
  const version = /^=?(\d+\.\d+\.\d+[-.\w]*)$/.exec(range)?.[1];
  if (version === undefined) throw new Error(`${name} is not locked, and ${range} is a range`);
  const { cpu, libc, os } = platformOf(name);
  packages[`node_modules/${name}`] = {
    version,
    ...(cpu && { cpu }),
    ...(dependent.dev && { dev: true }),
    ...(libc && { libc }),
    optional: true,
    ...(os && { os }),
    ...(dependent.peer && { peer: true }),
  };
  console.log(`added ${name}@${version}`);
}

const sorted = Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, "en"));
lockfile.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`);

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
