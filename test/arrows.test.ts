/** The arrows between packages and folders: the table is true to the tree, and the rule refuses what it does not have. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { arrows } from "../scripts/arrows.ts";
import { problemOf } from "../scripts/lint-arrows.ts";

const packagesFolder = join(import.meta.dirname, "..", "packages");

function foldersIn(name: string): string[] {
  return readdirSync(join(packagesFolder, name, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

const withFolders = Object.entries(arrows).flatMap(([name, { folders }]) =>
  folders === undefined ? [] : [{ name, folders }],
);

test.each(withFolders)("every folder of $name is in the table", ({ name, folders }) => {
  expect(Object.keys(folders).toSorted()).toEqual(foldersIn(name));
});

test.each(withFolders)("no two folders of $name reach each other", ({ folders }) => {
  const reach = (from: string): string[] =>
    (folders[from] ?? []).flatMap((to) => [to, ...reach(to)]);

  for (const folder of Object.keys(folders)) expect(reach(folder)).not.toContain(folder);
});

test.each([
  ["packages/kernel/src/turn/turn.ts", "node:fs", "no dependency"],
  ["packages/log/src/folds/title.ts", "@capstan/core", "log may import @capstan/kernel"],
  ["packages/log/src/folds/title.ts", "zod", "runs in browsers"],
  ["packages/core/src/host/host.ts", "node:sqlite", "never sees a file"],
  ["packages/core/src/host/host.ts", "../../../log/src/index.ts", "by its name"],
  ["packages/core/src/following/readers.ts", "../owner/owner.ts", "not code of owner/"],
  ["packages/core/src/following/readers.ts", "../index.ts", "an entry"],
  ["packages/core/src/cellar/new.ts", "../owner/owner.ts", "not in the table"],
])("%s may not import %s", (file, specifier, why) => {
  expect(problemOf(file, specifier, false)).toContain(why);
});

test.each([
  ["packages/core/src/following/readers.ts", "../platform/clock.ts", false],
  ["packages/core/src/following/readers.ts", "../owner/owner.ts", true],
  ["packages/core/src/index.ts", "./owner/owner.ts", false],
  ["packages/core/src/host/host.ts", "@capstan/log", false],
  ["packages/cli/src/main.ts", "@capstan/server/node", false],
  ["packages/core/test/world.ts", "node:fs", false],
])("%s may import %s (as a type: %s)", (file, specifier, isType) => {
  expect(problemOf(file, specifier, isType)).toBeUndefined();
});
