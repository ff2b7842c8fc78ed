import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isProtected, protectedPaths } from "../../src/permissions/protected-places.ts";
import { temporaryFolder } from "../memory-io.ts";
import { decideOn, decideOnCommand } from "./deciding.ts";

test.each([
  ".git/config",
  ".git/hooks/pre-commit",
  "sub/.git/config",
  ".GIT/config",
  ".bashrc",
  ".profile",
  ".zshrc",
  ".vscode/tasks.json",
  ".idea/workspace.xml",
  ".envrc",
  ".husky/pre-commit",
  ".githooks/pre-commit",
  ".npmrc",
  ".yarnrc.yml",
  ".capstan/x",
  "capstan.json",
  "packages/a/capstan.json",
  ".pre-commit-config.yaml",
  ".config/capstan/config.json",
])("%s is not changed by a rule for many files", (path) => {
  const rules = ["*", "edit", "edit(**)", "write", `edit(${path.replace(/[^/]*$/, "*")})`];
  const types = rules.map((rule) => decideOn("write", { path }, { allow: [rule] }).type);

  expect(types).toEqual(rules.map(() => "ask"));
});

test.each([
  "package.json",
  "src/git/config",
  ".github/workflows/ci.yml",
  ".env",
  "a.npmrc",
  ".gitignore",
])("%s is an ordinary file", (path) => {
  expect(decideOn("edit", { path }, { allow: ["edit(**)"] }).type).toBe("allow");
});

test("a rule with exactly the path allows it, and is the one that is suggested", () => {
  const call = { path: ".vscode/settings.json" };

  const asked = decideOn("edit", call, { allow: ["edit(**)"] });

  expect(asked).toMatchObject({
    type: "ask",
    why: ".vscode/settings.json is a protected file, which may run code later",
    allowWith: ["edit(.vscode/settings.json)"],
  });
  expect(decideOn("edit", call, { allow: ["edit(.vscode/settings.json)"] }).type).toBe("allow");
  expect(decideOn("edit", call, { allow: ["edit(settings.json)"] }).type).toBe("allow");
});

test("a link that leads to a protected file is one, too", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, ".git"));
  await symlink(".git", join(cwd, "inner"));

  const rules = { allow: ["edit(**)", "bash(cp *)", "bash(echo *)"] };

  expect(decideOn("edit", { path: "inner/config" }, rules, cwd).type).toBe("ask");
  expect(decideOn("bash", { command: "cp x inner/config" }, rules, cwd).type).toBe("ask");
  expect(decideOn("bash", { command: "echo x > inner/config" }, rules, cwd).type).toBe("ask");
  expect(decideOn("bash", { command: "cd inner && echo x > config" }, rules, cwd).type).toBe("ask");
});

test.each([
  ["echo x > .git/config", ["bash(echo *)", "edit(**)"], "ask"],
  ["echo x > .git/config", ["bash(echo *)", "write(.git/config)"], "allow"],
  ["echo x > .git/config", ["bash"], "ask"],
  ["echo x > .git/config", ["bash", "write(.git/config)"], "allow"],
  ["cp x .git/hooks/y", ["bash(cp *)"], "ask"],
  ["cp x .git/hooks/y", ["bash(cp x .git/hooks/y)"], "allow"],
  ["rm .git/index.lock", ["bash(rm *)"], "ask"],
  ["cat .git/config", ["bash(cat *)"], "allow"],
  ["cp .git/config x", ["bash(cp *)"], "ask"],
])("%j with %j is %s", (command, allow, type) => {
  expect(decideOnCommand(command, { allow })).toBe(type);
});

test("every path that a sandbox protects is protected in the rules, too", () => {
  expect(protectedPaths.filter((path) => !isProtected(path))).toEqual([]);
  expect(protectedPaths).toEqual(expect.arrayContaining([".git", ".capstan", "capstan.json"]));
});
