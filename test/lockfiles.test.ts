import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unlockedPackages } from "../scripts/unlocked-packages.ts";
import type { LockedPackage } from "../scripts/unlocked-packages.ts";

const root = join(import.meta.dirname, "..");
const lockfiles = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "*package-lock.json"],
  {
    cwd: root,
    encoding: "utf8",
  },
)
  .trim()
  .split("\n");

test("the lockfiles of the repository are found", () => {
  expect(lockfiles).toContain("package-lock.json");
  expect(lockfiles).toContain("examples/use-chat/package-lock.json");
});

test.each(lockfiles)(
  "npm ci accepts %s: it locks the optional packages of every platform",
  (lockfile) => {
    const { packages } = JSON.parse(readFileSync(join(root, lockfile), "utf8")) as {
      packages: Record<string, LockedPackage>;
    };

    const unlocked = unlockedPackages(packages).map(({ name }) => name);

    expect(unlocked, "run node scripts/complete-lockfile.ts with its folder").toEqual([]);
  },
);
