import { chmod, mkdir, rm, symlink } from "node:fs/promises";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { projectFile, surroundings, textsOf, userFile } from "./surroundings.ts";

const place = "home/.config/capstan/config.json";

test.each([
  [
    "a text without quotes",
    '{\n  "model": fast\n}',
    "2:12: invalid symbol: strings need double quotes",
  ],
  ["a comma that is missing", '{ "maxSteps": 1\n  "store": "x" }', "2:3: expected ,"],
  ["a brace that is missing", '{ "maxSteps": 1', "1:16: expected }"],
  [
    "a text that is not closed",
    '{ "model": "fast\n}',
    '1:12: the string is not closed: expected "',
  ],
  ["an escape at the end", '{ "a\\', "1:3: the string is not closed"],
  ["a comment that is not closed", "{ /* a", "1:3: the comment is not closed"],
  ["something after the end", "{}\n{}", "2:1: expected the end of the file"],
  ["lines that end as on Windows", '{\r\n\r\n  "model": fast }', "3:12: invalid symbol"],
  ["an empty file", "", "1:1: expected a value"],
  ["only a comment", "// nothing yet", "1:15: expected a value"],
  ["a list", "[]", "1:1: the file must be an object: { … }"],
  ["a key twice", '{ "model": "a",\n "model": "b" }', '2:2: the key "model" is repeated'],
  ["the key of a prototype", '{ "__proto__": {} }', '1:3: the key "__proto__" is not allowed'],
  [
    "an unknown key with a near one",
    '{\n  "modle": "fast" }',
    '2:3: unknown key "modle": did you mean "model"?',
  ],
  [
    "a line break in a key",
    '{ "providers": { "openai": { "headers": { "a\\nb": "c" } } } }',
    '1:51: providers.openai.headers."a\\nb" is not a valid header name',
  ],
  [
    "an unknown key",
    '{ "colour": 1 }',
    '1:3: unknown key "colour": use one of $schema, model, thinking',
  ],
  [
    "an unknown key inside",
    '{ "tools": { "bash": { "timeout": 1 } } }',
    '1:24: unknown key "timeout" in tools.bash: did you mean "timeoutMs"?',
  ],
  [
    "another type",
    '{ "maxSteps": "many" }',
    '1:15: maxSteps must be a whole number from 1 to 10000, not "many"',
  ],
  [
    "a number out of range",
    '{ "maxSteps": 0 }',
    "1:15: maxSteps must be a whole number from 1 to 10000, not 0",
  ],
  [
    "a level that is none",
    '{ "thinking": "hihg" }',
    '1:15: thinking must be one of off, minimal, low, medium, high, xhigh, max, not "hihg"',
  ],
  ["a cost of nothing", '{ "maxCost": 0 }', "1:14: maxCost must be above 0, not 0"],
  [
    "null",
    '{ "model": null }',
    "1:12: model must be the name of a model in double quotes, such as vendor/id",
  ],
  ["a model with a space", '{ "model": "a b" }', "1:12: model must be the name of a model"],
  ["an object instead of a list", '{ "roots": {} }', "1:12: roots must be a list: [ … ]"],
  [
    "a path with ~",
    '{ "roots": ["a", "~/x"] }',
    "1:18: roots[1] must not start with ~, which is not expanded: use an absolute path",
  ],
  [
    "a rule that is none",
    '{ "permissions": { "allow": ["edit", "bash(a | b)"] } }',
    '1:38: permissions.allow[1] "bash(a | b)" is not a valid rule: a | b has an unquoted |',
  ],
  [
    "a key instead of its variable",
    '{ "providers": { "x": { "keyVariable": "sk-1234" } } }',
    "1:40: providers.x.keyVariable must be the name of an environment variable that holds the key, not the key",
  ],
  [
    "a URL with a password",
    '{ "providers": { "x": { "baseUrl": "http://a:b@c/" } } }',
    "1:36: providers.x.baseUrl must be an http or https URL without user name, password and query",
  ],
  [
    "a URL of another kind",
    '{ "providers": { "x": { "baseUrl": "file:///etc" } } }',
    "1:36: providers.x.baseUrl must be an http or https URL",
  ],
  [
    "a vendor with an odd name",
    '{ "providers": { "Mine": {} } }',
    "1:26: providers.Mine is not a valid vendor id",
  ],
  [
    "a model without its window",
    '{ "providers": { "x": { "models": [{ "id": "m" }] } } }',
    "1:36: providers.x.models[0].contextWindow must be a whole number from 1 to 1000000000",
  ],
  [
    "an unknown vendor without a protocol",
    '{ "providers": {\n "x": {} } }',
    "2:7: providers.x has no protocol, which is required for vendors other than anthropic,",
  ],
])("%s is an error with line and column", async (_, text, message) => {
  const { refuse } = await surroundings({ [userFile]: text });

  expect(await refuse()).toContain(`${place}:${message}`);
});

test("all mistakes are told at once, in their order, ten at most", async () => {
  const lines = Array.from({ length: 12 }, (_, index) => `"x${index}": 1`);
  const { refuse, write } = await surroundings({
    [userFile]: '{ "maxSteps": 0,\n "thinking": 1,\n "roots": [2, "~"] }',
  });

  const few = await refuse();
  await write(userFile, `{\n${lines.join(",\n")}\n}`);
  const many = (await refuse()).split("\n");

  expect(few.split("\n").map((line) => line.split(": ")[0])).toEqual(
    ["1:15", "2:14", "3:12", "3:15"].map((at) => `${place}:${at}`),
  );
  expect(many).toHaveLength(11);
  expect(many[9]).toContain(`${place}:11:1: unknown key "x9"`);
  expect(many[10]).toBe(`${place}: and 2 more`);
});

test("what a header holds is in no message", async () => {
  const headers = { authorization: "Bearer sk-secret\n" };
  const { refuse } = await surroundings({ [userFile]: { providers: { openai: { headers } } } });

  const message = await refuse();

  expect(message).toContain(
    "providers.openai.headers.authorization must be a header value on one line",
  );
  expect(message).not.toContain("secret");
});

test("a project's file is held to the same, trusted or not, and nothing of it is trusted then", async () => {
  const { refuse, write, load } = await surroundings({ [projectFile]: '{ "providers": 1 }' });

  const messages = [await refuse(), await refuse({ trust: true })];
  await write(projectFile, '{ "maxSteps": 5 }');

  expect(messages).toEqual(
    Array(2).fill(expect.stringContaining("project/capstan.json:1:16: providers must be")),
  );
  expect((await load()).isTrusted).toBe(false);
});

test.each([
  ["is no UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), "is not UTF-8 text"],
  ["is too large", " ".repeat(300_000), "is larger than 262144 bytes"],
  ["is nested deeply", "[".repeat(200_000), ":1:51: is nested too deeply"],
])("a file that %s is refused with its path", async (_, content, message) => {
  const { refuse } = await surroundings({ [userFile]: content });

  const told = await refuse();

  expect(told).toContain(place);
  expect(told).toContain(message);
});

test("a folder, a pipe and a dangling link instead of the file are refused with their path", async () => {
  const { refuse, root, project } = await surroundings();
  const path = join(project, "capstan.json");

  await mkdir(path);
  const ofFolder = await refuse();
  await rm(path, { recursive: true });
  await promisify(execFile)("mkfifo", [path]);
  const ofPipe = await refuse();
  await rm(path);
  await symlink(join(root, "nowhere"), path);
  const ofLink = await refuse();

  expect(ofFolder).toBe("project/capstan.json is not a regular file: fix or remove it");
  expect(ofPipe).toBe("project/capstan.json is not a regular file: fix or remove it");
  expect(ofLink).toBe("project/capstan.json is a dangling link: fix or remove it");
});

test("a project's file that is a link is read within the project, and refused outside of it", async () => {
  const { refuse, load, write, root, project } = await surroundings({
    "project/settings/capstan.json": { permissions: { deny: ["bash"] } },
    "project/sub/.git/x": "",
    "project/linked/.git/x": "",
    "elsewhere.json": { permissions: { deny: ["read"] } },
  });
  await symlink(join(project, "settings/capstan.json"), join(project, "capstan.json"));
  await symlink(join(root, "elsewhere.json"), join(project, "sub/capstan.json"));
  await symlink("../settings/capstan.json", join(project, "linked/capstan.json"));
  await write(userFile, "{}");

  const { settings } = await load();
  const refused = await Promise.all(
    ["project/sub", "project/linked"].map((cwd) => refuse({ cwd })),
  );

  expect(textsOf(settings.permissions.deny)).toEqual(["bash"]);
  expect(refused).toEqual([
    "project/sub/capstan.json is a link out of the project's folder: fix or remove it",
    "project/linked/capstan.json is a link out of the project's folder: fix or remove it",
  ]);
});

// Root may read everything.
test.skipIf(process.getuid?.() === 0)(
  "a file that must not be read is refused with its path",
  async () => {
    const { refuse, folders } = await surroundings({ [userFile]: "{}" });
    await chmod(folders.configFile, 0);

    expect(await refuse()).toBe(`${place} cannot be read (EACCES): fix or remove it`);
  },
);
