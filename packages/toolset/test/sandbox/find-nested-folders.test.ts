import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findNested, NestedFolders } from "../../src/sandbox/nested-folders.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const unlimited = { maxFolders: Infinity, maxFound: Infinity, maxMs: Infinity };

async function folderWith(...paths: readonly string[]): Promise<string> {
  const root = await temporaryFolder();
  for (const path of paths) await mkdir(join(root, path), { recursive: true });
  return root;
}

test("folders with protected paths are found at any depth, the nearest first, but not the top itself", async () => {
  const root = await folderWith(".git", "a/b/c/.git", "d/.vscode", "e/.config/git", "f/plain");

  const found = await findNested(root, [".git", ".vscode", ".config/git"], unlimited);

  const expected = [join(root, "d"), join(root, "e"), join(root, "a/b/c")];
  expect(found).toEqual({ folders: expected, isComplete: true });
});

test("links, installed packages and protected folders themselves are not searched", async () => {
  const root = await folderWith("node_modules/a/.git", "a/.git/modules/b/.git");
  const elsewhere = await folderWith("repo/.git");
  await symlink(elsewhere, join(root, "link"));

  const found = await findNested(root, [".git"], unlimited);

  expect(found).toEqual({ folders: [join(root, "a")], isComplete: true });
});

test.each([
  ["folders", { ...unlimited, maxFolders: 3 }],
  ["found ones", { ...unlimited, maxFound: 1 }],
])("a limit of %s ends the search, and keeps those near the top", async (_, limits) => {
  const root = await folderWith("a/.git", "b/c/d/.git");

  const found = await findNested(root, [".git"], limits);

  expect(found).toEqual({ folders: [join(root, "a")], isComplete: false });
});

test("a search without time ends at once, and says so", async () => {
  const root = await folderWith("a/.git");

  expect(await findNested(root, [".git"], { ...unlimited, maxMs: -1 })).toEqual({
    folders: [],
    isComplete: false,
  });
});

test("a session searches once, and tells once that it did not search everything", async () => {
  const root = await folderWith("a/.git");
  const nested = new NestedFolders({ ...unlimited, maxFolders: 1 });

  const first = await nested.below(root, [".git"]);
  const notes = [nested.takeNote(), nested.takeNote()];

  expect(await nested.below(root, [".git"])).toBe(first);
  expect(notes).toEqual([expect.stringContaining("too large to be searched"), undefined]);
});
