import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SandboxMode, SandboxOptions } from "@capstan/toolset";
import { bashTool } from "@capstan/toolset";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSession } from "../collect-events.ts";
import { hasSandbox, sandboxNote } from "./stage.ts";

const modes: readonly SandboxMode[] = ["write", "strict"];
const protectedPaths = [".git", ".capstan", ".vscode", ".npmrc", ".config/git"];
const asUser = "git -c user.name=a -c user.email=a@example.org";

function sandboxed(mode: SandboxMode, options: Partial<SandboxOptions> = {}) {
  return bashTool({ sandbox: { mode, protectedPaths, ...options } });
}

/** A folder with a repository, and files that editors and package managers run code from, some levels below it. */
async function nestedProject(): Promise<string> {
  // Not in the temporary folder, which commands do not see.
  const folder = await realpath(await mkdtemp(join(homedir(), ".capstan-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = ["lib/app/.npmrc", "lib/app/.vscode/tasks.json", "lib/.capstan/config.json"];
  for (const file of [...files, "lib/app/.config/git/config", "lib/app/main.js"]) {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), "kept\n");
  }
  spawnSync("git", ["init", "-q", join(folder, "deep/er/repo")]);
  await mkdir(join(folder, "deep/er/repo/.git/hooks"), { recursive: true });
  return folder;
}

describe.skipIf(!hasSandbox)(`protected files below the top of a folder${sandboxNote}`, () => {
  test.each(modes)("in %s cannot be changed, removed or added to", async (mode) => {
    const cwd = await nestedProject();
    const attempts = [
      "echo x >> lib/app/.npmrc",
      "rm -f lib/app/.npmrc",
      "mv -f lib/app/main.js lib/app/.npmrc",
      "echo x > lib/app/.vscode/tasks.json",
      "echo x > lib/app/.vscode/new.json",
      "echo x > lib/.capstan/config.json",
      "echo x > lib/app/.config/git/config",
      "echo x > deep/er/repo/.git/hooks/pre-commit",
      "git -C deep/er/repo config core.fsmonitor x",
      "mv lib moved",
      "mv lib/app lib/moved",
      "mv deep/er/repo/.git deep/er/repo/old",
      "rm -rf deep",
    ];
    const command = attempts.map((line) => `(${line}) && echo 'THROUGH: ${line}'`).join("\n");

    const { output } = await openSession().call(sandboxed(mode), { command }, { cwd });

    expect(output).not.toContain("THROUGH");
    expect(await readFile(join(cwd, "lib/app/.npmrc"), "utf8")).toBe("kept\n");
    expect(await readFile(join(cwd, "deep/er/repo/.git/config"), "utf8")).not.toContain(
      "fsmonitor",
    );
  });

  test.each(modes)("in %s leave the rest of their folders to commands", async (mode) => {
    const cwd = await nestedProject();
    const command = `echo new > lib/app/main.js && cd deep/er/repo && echo a > a.txt && git add . && ${asUser} commit -qm one && git log --format=%s`;

    const done = await openSession().call(sandboxed(mode), { command }, { cwd });

    expect(done.output).toBe("one\n");
    expect(await readFile(join(cwd, "lib/app/main.js"), "utf8")).toBe("new\n");
  });

  test("can be changed once a rule of the user has opened them", async () => {
    const cwd = await nestedProject();
    const tool = sandboxed("write", { openPaths: () => [join(cwd, "lib/app/.npmrc")] });

    const command = "echo new > lib/app/.npmrc; echo x > lib/.capstan/config.json";
    await openSession().call(tool, { command }, { cwd });

    expect(await readFile(join(cwd, "lib/app/.npmrc"), "utf8")).toBe("new\n");
    expect(await readFile(join(cwd, "lib/.capstan/config.json"), "utf8")).toBe("kept\n");
  });

  test("cannot be replaced by a part of git that a repository did not have", async () => {
    const cwd = await nestedProject();

    const { output } = await openSession().call(
      sandboxed("write"),
      { command: "echo ../evil > deep/er/repo/.git/commondir" },
      { cwd },
    );

    expect(existsSync(join(cwd, "deep/er/repo/.git/commondir"))).toBe(false);
    expect(output).toContain("deep/er/repo/.git/commondir.refused");
  });

  test("that a session has made itself can be changed and removed by it", async () => {
    const cwd = await nestedProject();
    const { call } = openSession();
    const tool = sandboxed("write");

    await call(tool, { command: "git init -q cloned && echo x > cloned/.npmrc" }, { cwd });
    const done = await call(tool, { command: "echo y > cloned/.npmrc && rm -r cloned" }, { cwd });

    expect(done).toMatchObject({ isError: false, details: { exitCode: 0 } });
    expect(existsSync(join(cwd, "cloned"))).toBe(false);
  });
});
