// Releases all packages in one version: `npm run release -- --dry-run 0.2.0` shows what would happen and changes
// nothing; without --dry-run it commits, tags and publishes, with provenance, which needs CI with an identity token.

import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { checkVersion, publishOrder, releaseNotes, withVersion } from "./release/plan.ts";
import type { Manifest } from "./release/plan.ts";

const root = process.cwd();
try {
  release();
} catch (thrown) {
  console.error((thrown as Error).message);
  process.exitCode = 1;
}

function release(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean", default: false } },
  });
  const [version, ...others] = positionals;
  if (version === undefined || others.length > 0) {
    throw new Error("Give one version: npm run release -- --dry-run 0.2.0");
  }
  const packages = readPackages();
  const [first] = packages.values();
  checkVersion(version, first?.manifest.version ?? "");
  const dirty = git("status", "--porcelain");
  if (dirty !== "") throw new Error(`Commit or remove these changes first:\n${dirty}`);
  const today = new Date().toISOString().slice(0, 10);
  const { notes, changelog } = releaseNotes(read("CHANGELOG.md"), version, today);
  const order = publishOrder([...packages.values()].map(({ manifest }) => manifest));

  console.log(`Release ${version}, after ${first?.manifest.version}\n\nFor users:\n\n${notes}\n`);
  console.log(`Published in this order:\n`);
  for (const name of order) console.log(`  ${name} ${sizesOf(packages.get(name)?.folder ?? "")}`);
  if (values["dry-run"]) return console.log("\nDry run: nothing was changed.");

  writeVersions(packages, version);
  writeFileSync(join(root, "CHANGELOG.md"), changelog);
  run("npm", "install", "--package-lock-only", "--ignore-scripts");
  run("node", "scripts/complete-lockfile.ts");
  run("npm", "run", "build");
  git("commit", "--all", "--message", `release: ${version}`);
  git("tag", `v${version}`);
  const tag = version.includes("-") ? "next" : "latest";
  for (const name of order) {
    run("npm", "publish", "--workspace", name, "--provenance", "--access", "public", "--tag", tag);
  }
  console.log(
    `\nPublished. Push the commit and the tag: git push --follow-tags origin main v${version}`,
  );
}

interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

function readPackages(): ReadonlyMap<string, Package> {
  const paths = globSync("packages/*/package.json", { cwd: root }).toSorted();
  return new Map(
    paths.map((path) => {
      const manifest = JSON.parse(read(path)) as Manifest;
      return [manifest.name ?? "", { folder: dirname(path), manifest }];
    }),
  );
}

function writeVersions(packages: ReadonlyMap<string, Package>, version: string): void {
  const released = new Set(packages.keys());
  for (const folder of [".", ...[...packages.values()].map((one) => one.folder)]) {
    const path = join(folder, "package.json");
    const changed = withVersion(JSON.parse(read(path)) as Manifest, version, released);
    writeFileSync(join(root, path), `${JSON.stringify(changed, undefined, 2)}\n`);
  }
}

function sizesOf(folder: string): string {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: join(root, folder),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // The shape is npm's.
  const [packed] = JSON.parse(output) as readonly { size: number; entryCount: number }[];
  return `(${Math.ceil((packed?.size ?? 0) / 1000)} kB, ${packed?.entryCount} files)`;
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trimEnd();
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { cwd: root, stdio: "inherit" });
}
