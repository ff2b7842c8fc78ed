import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkVersion, publishOrder, releaseNotes, withVersion } from "../scripts/release/plan.ts";
import type { Manifest } from "../scripts/release/plan.ts";

const root = join(import.meta.dirname, "..");
const script = join(root, "scripts", "release.ts");
let folder: string;

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "capstan-release-"));
  const files = {
    "package.json": { private: true, workspaces: ["packages/*"] },
    "packages/a/package.json": { name: "a", version: "0.1.0", dependencies: { b: "0.1.0" } },
    "packages/b/package.json": { name: "b", version: "0.1.0" },
  };
  for (const name of ["a", "b"]) mkdirSync(join(folder, "packages", name), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    writeFileSync(join(folder, path), JSON.stringify(content));
  }
  writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- It sings.\n");
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
});

afterEach(() => rmSync(folder, { recursive: true }));

const release = (...args: readonly string[]) =>
  spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8" });

function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}

test("a dry run shows the notes, the packages after those they need, and changes nothing", () => {
  const { status, stdout } = release("--dry-run", "0.2.0");

  expect(status).toBe(0);
  expect(stdout).toContain("Release 0.2.0, after 0.1.0");
  expect(stdout).toContain("- It sings.");
  expect(stdout).toMatch(/ {2}b \(\d+ kB, 1 files\)\n {2}a \(/);
  expect(stdout).toContain("Dry run: nothing was changed.");
  expect(git("status", "--porcelain")).toBe("");
  expect(git("tag")).toBe("");
});

test("a tree with changes is refused, and the changes are named", () => {
  writeFileSync(join(folder, "notes.txt"), "");

  const { status, stderr } = release("--dry-run", "0.2.0");

  expect(status).toBe(1);
  expect(stderr).toBe("Commit or remove these changes first:\n?? notes.txt\n");
});

test.each([
  [["--dry-run"], /^Give one version/],
  [["--dry-run", "0.1.0"], /^0\.1\.0 is not newer than 0\.1\.0/],
  [["--dry-run", "two"], /^"two" is not a version/],
])("%j is refused", (args, message) => {
  const { status, stderr } = release(...args);

  expect(status).toBe(1);
  expect(stderr).toMatch(message);
});

test("versions are compared by their numbers, and a beta is older than its release", () => {
  const refused = /is not newer/;

  expect(() => checkVersion("0.10.0", "0.9.0")).not.toThrow();
  expect(() => checkVersion("0.9.0", "0.10.0")).toThrow(refused);
  expect(() => checkVersion("0.2.0", "0.2.0-beta.1")).not.toThrow();
  expect(() => checkVersion("0.2.0-beta.10", "0.2.0-beta.9")).not.toThrow();
  expect(() => checkVersion("0.2.0-beta.1", "0.2.0")).toThrow(refused);
});

test("dependencies on released packages get the new version, and others keep theirs", () => {
  const manifest = { name: "a", version: "0.1.0", dependencies: { b: "0.1.0", zod: "^4.0.0" } };

  expect(withVersion(manifest, "0.2.0", new Set(["a", "b"]))).toEqual({
    name: "a",
    version: "0.2.0",
    dependencies: { b: "0.2.0", zod: "^4.0.0" },
  });
});

test("the unreleased section becomes that of the version, below an empty one", () => {
  const { notes, changelog } = releaseNotes(
    "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n",
    "0.2.0",
    "2026-02-02",
  );

  expect(notes).toBe("- New.");
  expect(changelog).toContain("## Unreleased\n\n## 0.2.0 (2026-02-02)\n\n- New.\n\n## 0.1.0");
  expect(() => releaseNotes("## Unreleased\n\n## 0.1.0\n", "0.2.0", "")).toThrow(/is empty/);
});

test("the packages of this repository can be published one after the other", () => {
  const order = publishOrder(["server", "core", "kernel", "log"].map(readManifest));

  expect(order).toEqual(["@capstan/kernel", "@capstan/log", "@capstan/core", "@capstan/server"]);
});
