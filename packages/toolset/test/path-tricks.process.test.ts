import { readFile, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AnyTool } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { bashTool, createToolset, editTool, globTool, grepTool } from "@capstan/toolset";
import { lsTool, readTool, writeTool } from "@capstan/toolset";
import { openSession } from "./collect-events.ts";
import { guardedFolder } from "./guarded-folder.ts";

const ripgrep = process.env["RIPGREP"];

/** Every tool that takes a path, and what it is asked to do with it. */
const uses: readonly (readonly [string, AnyTool, (path: string) => JsonValue])[] = [
  ["ls", lsTool(), (path) => ({ path })],
  ["read", readTool(), (path) => ({ path })],
  ["glob", globTool(), (path) => ({ path, pattern: "**" })],
  ["grep in Node", grepTool({ ripgrep: false }), (path) => ({ path, pattern: "." })],
  ["grep", grepTool(ripgrep === undefined ? {} : { ripgrep }), (path) => ({ path, pattern: "." })],
  ["write", writeTool(), (path) => ({ path, content: "out" })],
  ["edit", editTool(), (path) => ({ path, edits: [{ old: "the secret", new: "out" }] })],
  ["bash", bashTool(), (path) => ({ path, command: "cat secret.txt; echo out > out.txt" })],
];

/** Each leads out, or would if somebody took it for something else. */
const tricks = (cwd: string, outside: string): readonly string[] => [
  "..",
  "../",
  "../work-outside",
  "../work-outside/secret.txt",
  "../work-outside/new.txt",
  "src/../../work-outside/secret.txt",
  "./src/./.././../work-outside",
  outside,
  join(outside, "secret.txt"),
  join(outside, "new/deep.txt"),
  `${cwd}/../work-outside/secret.txt`,
  `${cwd}-outside/secret.txt`,
  "/etc/passwd",
  "/",
  "//etc/passwd",
  "/proc/self/cwd/../work-outside/secret.txt",
  "link-out",
  "link-out/",
  "link-out/secret.txt",
  "link-out/new.txt",
  "link-out/new/deep/file.txt",
  "link-to-link/secret.txt",
  "src/secret-link",
  "link-in/secret-link",
];

/** Each is the name of something inside, or of nothing. */
const harmless = [
  "~/x",
  "$HOME/x",
  "..\\work-outside\\secret.txt",
  "\uff0e\uff0e/work-outside/secret.txt",
  "%2e%2e/work-outside/secret.txt",
  "file:///etc/passwd",
  "LINK-OUT/secret.txt",
  "link-ou\u0074\u0301/secret.txt",
  "dangling",
  "dangling/new.txt",
  "src/a.txt\0/../../../work-outside/secret.txt",
  "x".repeat(300),
  "x/".repeat(2000),
  `${"../".repeat(50)}tmp`,
];

test.each(uses)("%s does not leave the folder, whatever the path is", async (_, tool, toInput) => {
  const { cwd, outside } = await guardedFolder();
  await symlink("link-out", join(cwd, "link-to-link"));
  await symlink(join(outside, "none"), join(cwd, "dangling"));
  const { call } = openSession();
  const out = tricks(cwd, outside);

  const answers = await Array.fromAsync([...out, ...harmless], (path) =>
    call(tool, toInput(path), { cwd }),
  );

  const refusals = answers.slice(0, out.length);
  expect(out.filter((_path, index) => !refusals[index]?.output.includes("is outside"))).toEqual([]);
  expect(refusals.every(({ isError }) => isError)).toBe(true);
  expect(JSON.stringify(answers)).not.toMatch(/the secret|root:/);
  expect(await readdir(outside)).toEqual(["secret.txt"]);
  expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("the secret");
});

test("a search through a folder does not go through the links in it", async () => {
  const { cwd } = await guardedFolder();
  const { call } = openSession();

  const answers = await Array.fromAsync(uses.slice(2, 5), ([, tool, toInput]) =>
    call(tool, toInput("."), { cwd }),
  );

  expect(answers.map(({ output }) => output)).toEqual([
    "src/a.txt\nsrc/deep/b.txt",
    "src/a.txt:1: inside\nsrc/deep/b.txt:1: inside",
    "src/a.txt:1: inside\nsrc/deep/b.txt:1: inside",
  ]);
});

test("no tool with a path is missing above", () => {
  const names = createToolset()
    .filter(({ inputSchema }) => JSON.stringify(inputSchema).includes('"path"'))
    .map(({ name }) => name);

  expect(new Set(uses.map(([, tool]) => tool.name))).toEqual(new Set(names));
});
