import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask } from "../src/ask.ts";
import { templates } from "../src/templates.ts";

const main = join(import.meta.dirname, "..", "src", "main.ts");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "create-capstan-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const create = (...args: readonly string[]): Ended =>
  spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: "utf8", input: "" });

test("a project gets the name of its folder, the packages of this version, and a .gitignore", () => {
  const { status, stdout } = create("my-app", "--template", "server");

  expect(status).toBe(0);
  expect(stdout).toContain("cd my-app\n  npm install\n  npm test");
  const { name, dependencies } = JSON.parse(
    readFileSync(join(folder, "my-app", "package.json"), "utf8"),
  );
  const { version } = JSON.parse(readFileSync(join(main, "..", "..", "package.json"), "utf8"));
  expect(name).toBe("my-app");
  expect(dependencies["@capstan/core"]).toBe(version);
  expect(readdirSync(join(folder, "my-app"))).toEqual(
    expect.arrayContaining([".gitignore", "README.md", "src", "test", "tsconfig.json"]),
  );
});

test("an empty folder is used as it is, also one with a repository in it", () => {
  mkdirSync(join(folder, "empty", ".git"), { recursive: true });

  expect(create("empty", "-t", "script").status).toBe(0);
});

test("a folder with files in it is refused and left alone", () => {
  mkdirSync(join(folder, "full"));
  writeFileSync(join(folder, "full", "thesis.md"), "");

  const { status, stderr } = create("full", "--template", "script");

  expect(status).toBe(1);
  expect(stderr).toBe('The folder "full" is not empty: it has thesis.md. Choose a new folder.\n');
  expect(readdirSync(join(folder, "full"))).toEqual(["thesis.md"]);
});

test.each([
  [
    ["app", "--template", "nope"],
    /^Unknown template "nope". Templates: script, server, web-chat, worker\.$/,
  ],
  [["My App", "--template", "script"], /^"My App" cannot be the name of a package: /],
  [["a", "b", "--template", "script"], /^Give one folder, not 2: a, b\.$/],
  [["app", "--tempalte", "script"], /^Unknown option '--tempalte'.* --help to see the options\.$/],
  [["app"], /^Give a template: npm create capstan my-agent -- --template script\./],
  [[], /^Give a folder: /],
])("%j is refused with one line that says what to do", (args, message) => {
  const { status, stderr } = create(...args);

  expect(status).toBe(1);
  expect(stderr.trimEnd()).toMatch(message);
  expect(stderr.split("\n")).toHaveLength(2);
  expect(readdirSync(folder)).toEqual([]);
});

test("--help lists every template, and --version is a version", () => {
  const { stdout } = create("--help");

  expect(templates.filter(({ name }) => !stdout.includes(`  ${name} `))).toEqual([]);
  expect(create("--version").stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

test("in a terminal, what is missing is asked for until the answer is valid", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const answers = ["Bad Name", "good-name", "9", "worker"];
  let shown = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    if (text.endsWith(": ")) input.write(`${answers.shift()}\n`);
  });

  const chosen = await ask({ input, output }, { folder: undefined, template: undefined });

  expect(chosen.folder).toBe("good-name");
  expect(chosen.template.name).toBe("worker");
  expect(shown).toContain('Unknown template "9"');
});

test("a terminal that is closed before all is answered ends the command", async () => {
  const input = new PassThrough();
  const asked = ask({ input, output: new PassThrough() }, { folder: "app", template: undefined });

  input.end();

  await expect(asked).rejects.toThrow("Nothing was created: the input ended.");
});
