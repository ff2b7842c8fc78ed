/** Commands that would wait for a person, and what commands get of the environment. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bashTool } from "@capstan/toolset";
import { afterEach, expect, test } from "vitest";
import { openSession } from "./collect-events.ts";
import { temporaryFolder } from "./temporary-folder.ts";

afterEach(() => {
  for (const name of ["SHOP_TOKEN", "DATABASE_URL"]) delete process.env[name];
});

async function run(command: string, options: Parameters<typeof bashTool>[0] = {}) {
  const cwd = options.cwd ?? (await temporaryFolder());
  return openSession().call(bashTool(options), { command }, { cwd });
}

test("git commit --amend opens no editor", async () => {
  const cwd = await temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd });
  git("init", "-q");
  await writeFile(join(cwd, "a.txt"), "one");
  git("add", "-A");
  git("commit", "-qm", "first");

  const { output, isError } = await run(
    "git -c user.name=a -c user.email=a@b.c commit --amend && git log --oneline | cat",
    { cwd },
  );

  expect(isError).toBe(false);
  expect(output).toContain("first");
});

test("editors, pagers and prompts are told that no person is there", async () => {
  const { output } = await run('echo "$EDITOR $GIT_EDITOR $PAGER $GIT_TERMINAL_PROMPT $CI $TERM"');

  expect(output).toBe("true true cat 0 true dumb\n");
});

test("colors and progress are not part of the output", async () => {
  const { output } = await run(String.raw`printf '\033[31mred\033[0m\n10%%\r100%%\n'`);

  expect(output).toBe("red\n100%\n");
});

test("a variable that looks like a secret is not passed, and a command that failed for it is told so", async () => {
  process.env["SHOP_TOKEN"] = "abc";
  process.env["DATABASE_URL"] = "postgres://u:p@localhost/db";
  const command = 'test -n "$SHOP_TOKEN" || { echo "SHOP_TOKEN is not set"; exit 1; }';

  const missed = await run(command);
  const passed = await run(command, { passEnv: ["SHOP_TOKEN"] });
  const url = await run('echo "[$DATABASE_URL]"');

  expect(missed.output).toContain(
    "Not passed to commands, because it looks like a secret: SHOP_TOKEN.",
  );
  expect(passed).toMatchObject({ isError: false });
  expect(url.output).toBe("[]\n");
});
