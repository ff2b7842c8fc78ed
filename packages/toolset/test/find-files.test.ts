import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { globTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { fileTree } from "./file-tree.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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
])("%s finds what it says", async (pattern, paths) => {
  const cwd = await fileTree(tree);

  expect(await glob(cwd, { pattern })).toEqual(paths);
});

test("an absolute pattern inside the folder finds the same files", async () => {
  const cwd = await fileTree(tree);

  expect(await glob(cwd, { pattern: `${cwd}/src/*.ts` })).toEqual(["src/a.test.ts", "src/a.ts"]);
  expect(await glob(cwd, { pattern: `${cwd}/**/b.ts` })).toEqual(["src/deep/b.ts"]);
  expect(await glob(cwd, { pattern: `${cwd}/src/{a,deep/b}.ts` })).toEqual([
    "src/a.ts",
    "src/deep/b.ts",
  ]);
  expect(await glob(cwd, { pattern: `${cwd}/src/deep/*.ts`, path: "src" })).toEqual([
    "src/deep/[x].ts",
    "src/deep/b.ts",
  ]);
  expect(await glob(cwd, { pattern: `${cwd}/README.md` })).toEqual(["README.md"]);
});

test("an absolute pattern finds files by the name that a link gives to the folder", async () => {
  const cwd = await fileTree(tree);
  const base = await temporaryFolder();
  await symlink(cwd, join(base, "link"));

  expect(await glob(join(base, "link"), { pattern: `${base}/link/src/*.ts` })).toEqual([
    "src/a.test.ts",
    "src/a.ts",
  ]);
});

test("an absolute pattern in another root works with the path of that root", async () => {
  const [cwd, other] = [await fileTree(tree), await fileTree({ "notes/a.md": "" })];

  const output = await callTool(
    globTool({ roots: [other] }),
    { pattern: `${other}/**/*.md`, path: other },
    { cwd },
  );

  expect(output.outputMessage).toBe(`${other}/notes/a.md`);
});

test("two dots inside the folder are taken off", async () => {
  const cwd = await fileTree(tree);

  expect(await glob(cwd, { pattern: "src/../docs/*.md" })).toEqual(["docs/a b.md"]);
  expect(await glob(cwd, { pattern: "src/../*.md" })).toEqual(["README.md"]);
});

test("a pattern that leads out of the folder of the search is refused, inside the working folder, too", async () => {
  const cwd = await fileTree(tree);

  const outputs = await Promise.all(
    ["../*.md", `${cwd}/README.md`].map((pattern) =>
      callTool(globTool(), { pattern, path: "src" }, { cwd }),
    ),
  );

  expect(outputs.map(({ ok, details }) => [ok, details])).toEqual([
    [false, { code: "outside" }],
    [false, { code: "outside" }],
  ]);
  expect(outputs[0]?.outputMessage).toBe(
    "../*.md leads out of src. Patterns find only files below it: set path to the folder to search, and begin the pattern there.",
  );
});

test.each(["../**", "..", "../*.ts", "src/../../**", "/etc/*.conf", "~/**", "{../a,b}/*.ts"])(
  "%s is refused as a pattern outside the folder",
  async (pattern) => {
    const cwd = await fileTree(tree);

    const output = await callTool(globTool(), { pattern }, { cwd });

    expect(output).toMatchObject({ ok: false, details: { code: "outside" } });
  },
);

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

test("a limit out of range is clamped, and the note says so", async () => {
  const cwd = await fileTree({ "a.ts": "" });

  expect(await glob(cwd, { pattern: "*.ts", limit: 5000 })).toEqual([
    "a.ts",
    "(limit is 1000 instead of 5000: the maximum.)",
  ]);
});

test("a pattern that stands for a thousand others is refused", async () => {
  const cwd = await fileTree(tree);
  const braces = "{a,b,c,d,e,f,g,h,i,j}";

  const output = await callTool(globTool(), { pattern: braces.repeat(3) }, { cwd });

  expect(output).toMatchObject({ ok: false, details: { code: "invalid_pattern" } });
});
