import { spawnSync } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./memory-io.ts";
import { files, spawnCommand } from "./spawn-command.ts";

test("a turn in the current folder: text on stdout, notes on stderr, exit code 0", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "package.json"), '{ "name": "demo" }');

  const command = spawnCommand(files.main, ["What is in this folder?"], { cwd });
  const { exitCode } = await command.ended;

  expect(exitCode).toBe(0);
  expect(command.stdout()).toMatch(/^No language model is connected/);
  expect(command.stdout()).toContain("package.json names the package demo.\n");
  expect(command.stderr()).toMatch(/^capstan: using the offline provider, because .+\n• ls \.\n/);
});

test("wrong use exits with 2 and leaves stdout empty", async () => {
  const cwd = await temporaryFolder();
  const uses = [["--hlep"], [], ["--cwd", "nowhere", "prompt"]];

  const commands = uses.map((args) => spawnCommand(files.main, args, { cwd }));
  const ends = await Promise.all(commands.map(({ ended }) => ended));

  expect(ends.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2]);
  expect(commands.map(({ stdout }) => stdout())).toEqual(["", "", ""]);
  expect(commands.map(({ stderr }) => stderr().split("\n")[0])).toEqual([
    "capstan: There is no option --hlep. Did you mean --help?",
    "Usage: capstan [options] <prompt>",
    `capstan: There is no folder ${cwd}/nowhere to work in.`,
  ]);
});

test("a current folder that was removed is said to be gone", async () => {
  const cwd = await temporaryFolder();
  const command = `"${process.execPath}" --conditions=@capstan/source "${files.main}" prompt`;

  const { status, stderr } = spawnSync("sh", ["-c", `mkdir a; cd a; rmdir ../a; ${command}`], {
    cwd,
    encoding: "utf8",
  });

  expect(status).toBe(2);
  expect(stderr).toMatch(/^capstan: There is no folder .+\/a to work in\.\n/);
});

test("the first SIGINT ends the turn in good order, with 130", async () => {
  const command = spawnCommand(files.slowTurn, ["prompt"]);
  await command.seen("Working");

  command.child.kill("SIGINT");
  const { exitCode, signal } = await command.ended;

  expect({ exitCode, signal }).toEqual({ exitCode: 130, signal: null });
  expect(command.stdout()).toBe("Working\n");
  expect(command.stderr()).toMatch(/\ncapstan: interrupted\n$/);
});

test("the second SIGINT ends the process at once, without waiting for a tool", async () => {
  const command = spawnCommand(files.slowTurn, ["with a deaf tool", "--", "--still"]);
  await command.seen("• deaf");

  command.child.kill("SIGINT");
  await command.seen("deaf: so what");
  command.child.kill("SIGINT");
  const { exitCode, signal } = await command.ended;

  expect({ exitCode, signal }).toEqual({ exitCode: 130, signal: null });
  expect(command.stderr()).not.toContain("interrupted");
});

test("after one SIGINT a deaf tool is waited for only as long as the grace period", async () => {
  const command = spawnCommand(files.slowTurn, ["with a deaf tool"]);
  await command.seen("• deaf");

  command.child.kill("SIGINT");
  const { exitCode } = await command.ended;

  expect(exitCode).toBe(130);
  expect(command.stderr()).toMatch(/\ncapstan: interrupted\n$/);
});

test("a reader that leaves ends the turn quietly", async () => {
  const cwd = await temporaryFolder();
  const command = spawnCommand(files.main, ["What is in this folder?"], { cwd });
  command.child.stdout?.destroy();

  const { exitCode, signal } = await command.ended;

  expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null });
  expect(command.stderr()).not.toMatch(/EPIPE|failed|interrupted|at /);
});

test("a full disk behind stdout is an error that is said", ({ skip }) => {
  skip(process.platform !== "linux", "only Linux has /dev/full");
  const args = ["--conditions=@capstan/source", files.main, "folder"];
  const shell = `"${process.execPath}" ${args.map((word) => `"${word}"`).join(" ")} > /dev/full`;

  const { status, stderr } = spawnSync("sh", ["-c", shell], { encoding: "utf8" });

  expect(status).toBe(1);
  expect(stderr).toMatch(/\ncapstan: the output cannot be written: ENOSPC.*\n$/);
});

test("bin/capstan.js runs what was built next to it, with the words it was given", async () => {
  const folder = await temporaryFolder();
  await cp(files.bin, join(folder, "bin/capstan.js"));
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "dist/main.js"), "console.log(process.argv.slice(2));");

  const { status, stdout } = spawnSync(join(folder, "bin/capstan.js"), ["a", "b c"], {
    encoding: "utf8",
  });

  expect(status).toBe(0);
  expect(stdout).toBe("[ 'a', 'b c' ]\n");
});

test("bin/capstan.js says in one line what to do when nothing was built", async () => {
  const folder = await temporaryFolder();
  await cp(files.bin, join(folder, "bin/capstan.js"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');

  const { status, stderr } = spawnSync(join(folder, "bin/capstan.js"), ["prompt"], {
    encoding: "utf8",
  });

  expect(status).toBe(1);
  expect(stderr).toBe(
    "capstan is not built yet: run `npm ci` or `npm run build` in its repository.\n",
  );
});

test("the built command does the same as its source", async () => {
  const cwd = await temporaryFolder();

  const command = spawnCommand(files.bin, ["What is in this folder?"], { cwd });
  const { exitCode } = await command.ended;

  expect({ exitCode, stdout: command.stdout() }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^No language model is connected.*This folder is empty\.\n$/s),
  });
});
