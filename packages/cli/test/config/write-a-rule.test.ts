import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSessionRules } from "../../src/config/session-rules.ts";
import { writeRule } from "../../src/config/write-rule.ts";
import { surroundings } from "./surroundings.ts";

test("a rule is added to the user's file, and everything else in it stays", async () => {
  const text = `{
  // The model that I like.
  "model": "anthropic/claude-sonnet-5-5",
  "permissions": { "allow": ["bash(npm test)"], },
}
`;
  const here = await surroundings({ "home/.config/capstan/config.json": text });

  const problem = await writeRule(
    { list: "allow", rule: "bash(git status)" },
    { layer: "user" },
    here.folders,
  );

  const after = await readFile(here.folders.configFile, "utf8");
  const { settings } = await here.load();
  expect(problem).toBeUndefined();
  expect(after).toContain("// The model that I like.");
  expect(settings.model).toBe("anthropic/claude-sonnet-5-5");
  expect(settings.permissions.allow.map((rule) => [rule.text, rule.layer])).toEqual([
    ["bash(npm test)", "user"],
    ["bash(git status)", "user"],
  ]);
});

test("the user's file and its folder are made, for the user alone; a rule is not added twice", async () => {
  const here = await surroundings();
  const rule = { list: "deny", rule: "read(.env)" } as const;

  await writeRule(rule, { layer: "user" }, here.folders);
  await writeRule(rule, { layer: "user" }, here.folders);

  const { settings } = await here.load();
  const { mode } = await stat(here.folders.configFile);
  expect(settings.permissions.deny.map(({ text }) => text)).toEqual(["read(.env)"]);
  expect(mode & 0o777).toBe(0o600);
});

test("rules that are written at the same time are all there", async () => {
  const here = await surroundings();
  const rules = Array.from({ length: 12 }, (_, index) => `bash(make a${index})`);

  const problems = await Promise.all(
    rules.map((rule) => writeRule({ list: "allow", rule }, { layer: "user" }, here.folders)),
  );

  const { settings } = await here.load();
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  expect(settings.permissions.allow.map(({ text }) => text).toSorted()).toEqual(rules.toSorted());
});

test("a rule for the project is trusted with it, if the file is new or was trusted", async () => {
  const here = await surroundings();
  const target = { layer: "project", projectFolder: here.project } as const;

  await writeRule({ list: "allow", rule: "bash(npm test)" }, target, here.folders);
  await writeRule({ list: "allow", rule: "bash(npm ci)" }, target, here.folders);

  const { settings, isTrusted } = await here.load();
  expect(isTrusted).toBe(true);
  expect(settings.permissions.allow.map((rule) => [rule.text, rule.layer])).toEqual([
    ["bash(npm test)", "project"],
    ["bash(npm ci)", "project"],
  ]);
});

test("a project's file that is not trusted gets no rule that allows, and does not become trusted", async () => {
  const here = await surroundings({
    "project/capstan.json": { permissions: { allow: ["bash(rm *)"] } },
  });
  const target = { layer: "project", projectFolder: here.project } as const;

  const allowing = await writeRule({ list: "allow", rule: "bash(ls)" }, target, here.folders);
  const denying = await writeRule({ list: "deny", rule: "read(.env)" }, target, here.folders);

  const { settings, isTrusted } = await here.load();
  expect(allowing).toMatch(/capstan\.json is not trusted/);
  expect(denying).toBeUndefined();
  expect(isTrusted).toBe(false);
  expect(settings.permissions.allow).toEqual([]);
  expect(settings.permissions.deny.map(({ text }) => text)).toEqual(["read(.env)"]);
});

test("a rule for a session holds for that session alone", async () => {
  const { folders } = await surroundings();

  await writeRule(
    { list: "allow", rule: "bash(npm test)" },
    { layer: "session", sessionId: "a/../b" },
    folders,
  );

  const [own, other] = ["a/../b", "c"].map((id) => readSessionRules(folders.dataFolder, id));
  expect(own?.allow.map((rule) => [rule.text, rule.layer])).toEqual([
    ["bash(npm test)", "session"],
  ]);
  expect(other).toEqual({ allow: [], ask: [], deny: [] });
});

test("a damaged file of a session asks about every call", async () => {
  const { folders } = await surroundings();
  const target = { layer: "session", sessionId: "a" } as const;
  await writeRule({ list: "deny", rule: "read(.env)" }, target, folders);
  const folder = join(folders.dataFolder, "session-rules");
  const [name = ""] = await readdir(folder);

  await writeFile(join(folder, name), "{");

  expect(readSessionRules(folders.dataFolder, "a").ask.map(({ text }) => text)).toEqual(["*"]);
});

test("what is wrong is said, and nothing is written", async () => {
  const here = await surroundings({ "home/.config/capstan/config.json": "{ broken" });

  const wrongRule = await writeRule(
    { list: "allow", rule: "bsh" },
    { layer: "user" },
    here.folders,
  );
  const wrongFile = await writeRule(
    { list: "allow", rule: "edit" },
    { layer: "user" },
    here.folders,
  );

  expect(wrongRule).toContain("did you mean bash?");
  expect(wrongFile).toContain("config.json:1:3");
  expect(await readFile(here.folders.configFile, "utf8")).toBe("{ broken");
});

test("a link to the user's file stays a link", async () => {
  const here = await surroundings({ "dotfiles/config.json": {} });
  await mkdir(join(here.root, "home/.config/capstan"), { recursive: true });
  await symlink(join(here.root, "dotfiles/config.json"), here.folders.configFile);

  await writeRule({ list: "allow", rule: "edit" }, { layer: "user" }, here.folders);

  const text = await readFile(join(here.root, "dotfiles/config.json"), "utf8");
  expect(text).toContain('"edit"');
});
