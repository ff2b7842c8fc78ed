import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Decision } from "../../src/permissions/permissions.ts";
import { decideOn } from "./deciding.ts";

/** A project with src, docs and .env, a link in src to .env, one to a folder outside, and one back into src. */
async function project(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "capstan-rules-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const cwd = join(root, "project");
  await mkdir(join(cwd, "src"), { recursive: true });
  await mkdir(join(cwd, "docs"));
  await mkdir(join(root, "outside"));
  await writeFile(join(cwd, ".env"), "");
  await symlink("../.env", join(cwd, "src/env-link"));
  await symlink("../../outside", join(cwd, "src/out"));
  await symlink("../src", join(cwd, "docs/src"));
  await symlink("project", join(root, "alias"));
  return cwd;
}

async function edit(
  path: string,
  rules: Parameters<typeof decideOn>[2],
): Promise<Decision["type"]> {
  const cwd = await project();
  return decideOn("edit", { path: path.replace("CWD", cwd) }, rules, cwd).type;
}

test.each([
  ["src/a.ts", "allow"],
  ["./src/a.ts", "allow"],
  ["src/deep/new/a.ts", "allow"],
  ["src//a.ts", "allow"],
  ["docs/../src/a.ts", "allow"],
  ["CWD/src/a.ts", "allow"],
  ["docs/src/a.ts", "allow"],
  ["src", "ask"],
  ["src2/a.ts", "ask"],
  ["src/../a.ts", "ask"],
  ["src/../../src/a.ts", "ask"],
  ["../project/src/a.ts", "allow"],
  ["../project2/src/a.ts", "ask"],
  ["/src/a.ts", "ask"],
  ["CWD/../src/a.ts", "ask"],
  ["SRC/a.ts", "ask"],
  ["src\\a.ts", "ask"],
  ["src/env-link", "ask"],
  ["src/out/a.ts", "ask"],
  ["src/out/new/a.ts", "ask"],
  ["src/a\0b", "ask"],
  ["", "ask"],
  [`src/${"a/".repeat(100)}b`, "ask"],
  [`src/${"a".repeat(300)}`, "ask"],
])("with edit(src/**) allowed, an edit of %j is %s", async (path, type) => {
  expect(await edit(path, { allow: ["edit(src/**)"] })).toBe(type);
});

test.each([
  [".env", "deny"],
  ["./.env", "deny"],
  ["src/../.env", "deny"],
  ["CWD/.env", "deny"],
  ["src/.env", "deny"],
  [".ENV", "deny"],
  ["src/env-link", "deny"],
  ["src/out/.env", "deny"],
  ["../outside/.env", "deny"],
  ["a\0b", "ask"],
  [".env.example", "allow"],
  ["src/env", "allow"],
])("with edit(.env) denied, an edit of %j is %s", async (path, type) => {
  expect(await edit(path, { allow: ["edit"], deny: ["edit(.env)"] })).toBe(type);
});

test.each([
  ["*.md", "docs/deep/a.md", "allow"],
  ["./*.md", "a.md", "allow"],
  ["./*.md", "docs/a.md", "ask"],
  ["docs/*.md", "docs/a.md", "allow"],
  ["docs/*.md", "docs/deep/a.md", "ask"],
  ["docs/**/*.md", "docs/a.md", "allow"],
  ["{docs,src}/*.{md,ts}", "src/a.ts", "allow"],
  ["src/[ab].ts", "src/b.ts", "allow"],
  ["src/?.ts", "src/bb.ts", "ask"],
  ["src/\\*.ts", "src/a.ts", "ask"],
  ["src/\\*.ts", "src/*.ts", "allow"],
  ["**", "src/a.ts", "allow"],
  ["**", "../outside/a.ts", "ask"],
  ["**", "src/out/a.ts", "ask"],
  ["**", ".git/hooks/x", "ask"],
  ["./.env", ".env", "allow"],
])("with edit(%s) allowed, an edit of %s is %s", async (pattern, path, type) => {
  expect(await edit(path, { allow: [`edit(${pattern})`] })).toBe(type);
});

test("a pattern with a whole path is about that path, in the working folder and outside of it", async () => {
  const cwd = await project();
  const rules = { allow: [`edit(${join(cwd, "..")}/outside/**)`, `edit(${cwd}/docs/**)`] };

  const types = ["../outside/a.ts", "src/out/a.ts", "docs/a.md", "src/a.ts"].map(
    (path) => decideOn("edit", { path }, rules, cwd).type,
  );

  expect(types).toEqual(["allow", "allow", "allow", "ask"]);
});

test("a working folder that is a link is the folder that it leads to", async () => {
  const alias = join(await project(), "..", "alias");

  const types = ["src/a.ts", "../project/src/a.ts", "src/out/a.ts"].map(
    (path) => decideOn("edit", { path }, { allow: ["edit(src/**)"] }, alias).type,
  );

  expect(types).toEqual(["allow", "allow", "ask"]);
});

test("a pattern that denies a folder is about the one in the working folder, not about one of its name above", async () => {
  const cwd = await project();
  const [, first = ""] = cwd.split("/");
  const rules = { allow: ["*"], deny: [`edit(${first}/**)`] };

  const types = ["a", "../outside/a"].map((path) => decideOn("edit", { path }, rules, cwd).type);

  expect(types).toEqual(["allow", "allow"]);
});

test("a folder that a call does not name is the working folder", async () => {
  const cwd = await project();

  expect(decideOn("ls", {}, { deny: ["ls(.env)"] }, cwd).type).toBe("allow");
  expect(decideOn("ls", {}, { deny: ["ls(**)"] }, cwd).type).toBe("deny");
  expect(decideOn("ls", { path: "src" }, { deny: ["ls(src)"] }, cwd).type).toBe("deny");
});
