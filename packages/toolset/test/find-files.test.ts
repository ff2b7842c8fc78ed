import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { globTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { fileTree } from "./file-tree.ts";

async function glob(cwd: string, input: Record<string, string | number | boolean>) {
  const { outputMessage } = await callTool(globTool(), input, { cwd });
  return outputMessage.split("\n");
}

const tree = {
  "README.md": "",
  "src/a.ts": "",
  "src/a.test.ts": "",
  "src/deep/b.ts": "",
  "src/deep/[x].ts": "",
  ".github/ci.yml": "",
  "docs/a b.md": "",
};

test.each([
  ["*.ts", ["src/a.test.ts", "src/a.ts", "src/deep/[x].ts", "src/deep/b.ts"]],
  ["src/*.ts", ["src/a.test.ts", "src/a.ts"]],
  ["/src/*.ts", ["src/a.test.ts", "src/a.ts"]],
  ["src/**/b.ts", ["src/deep/b.ts"]],
  ["**/a.ts", ["src/a.ts"]],
  ["src/**", ["src/a.test.ts", "src/a.ts", "src/deep/[x].ts", "src/deep/b.ts"]],
  ["*.{md,yml}", [".github/ci.yml", "README.md", "docs/a b.md"]],
  ["src/?.ts", ["src/a.ts"]],
  ["src/[!b].ts", ["src/a.ts"]],
  ["*[[]x].ts", ["src/deep/[x].ts"]],
  ["\\[x\\].ts", ["src/deep/[x].ts"]],
  ["readme.md", ["(No files found.)"]],
  ["../*", ["(No files found.)"]],
])("%s finds what it says", async (pattern, paths) => {
  const cwd = await fileTree(tree);

  expect(await glob(cwd, { pattern })).toEqual(paths);
});

test("below a folder patterns begin there, and paths are still from the working folder", async () => {
  const cwd = await fileTree(tree);

  expect(await glob(cwd, { pattern: "deep/*.ts", path: "src" })).toEqual([
    "src/deep/[x].ts",
    "src/deep/b.ts",
  ]);
});

const ignoring = {
  ".gitignore":
    "*.log\n/dist\nnode_modules/\n!keep.log\n# note\nout/*.js\n\\#odd\ntrail \nsub/inner/\n",
  "a.log": "",
  "keep.log": "",
  "dist/a.js": "",
  "src/dist/a.js": "",
  "node_modules/x/index.js": "",
  "src/node_modules": "a file of that name",
  "out/a.js": "",
  "out/deep/a.js": "",
  "#odd": "",
  trail: "",
  "sub/inner/a.txt": "",
  "src/.gitignore": "*.txt\n!/b.txt\n",
  "src/a.txt": "",
  "src/b.txt": "",
  "src/deep/b.txt": "",
};

test("what .gitignore leaves out is left out, just as git does it", async () => {
  const cwd = await fileTree(ignoring);
  const git = (...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });
  git("init", "-q");

  const found = await glob(cwd, { pattern: "**" });

  const listed = git("ls-files", "--others", "--exclude-standard", "-z").split("\0").slice(0, -1);
  expect(found.toSorted()).toEqual(listed.toSorted());
});

test("rules above the folder count there, too, and with `ignored` none does", async () => {
  const cwd = await fileTree(ignoring);

  const found = await glob(cwd, { pattern: "*", path: "out" });
  const all = await glob(cwd, { pattern: "*", path: "out", ignored: true });

  expect(found).toEqual(["out/deep/a.js"]);
  expect(all).toEqual(["out/a.js", "out/deep/a.js"]);
});

test("links are not followed, and more than the limit is said to be more", async () => {
  const cwd = await fileTree(tree);
  await symlink("src", join(cwd, "link"));

  expect(await glob(cwd, { pattern: "*.ts", limit: 2 })).toEqual([
    "src/a.test.ts",
    "src/a.ts",
    "(There are more than 2. Use a narrower pattern.)",
  ]);
  expect(await glob(cwd, { pattern: "link/**" })).toEqual(["(No files found.)"]);
});

test("a pattern that stands for a thousand others is refused", async () => {
  const cwd = await fileTree(tree);
  const braces = "{a,b,c,d,e,f,g,h,i,j}";

  const output = await callTool(globTool(), { pattern: braces.repeat(3) }, { cwd });

  expect(output).toMatchObject({ ok: false, details: { code: "invalid_pattern" } });
});
