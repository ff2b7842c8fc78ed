import { spawnSync } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "./memory-io.ts";
import { environmentOf, files, shellWords, spawnCommand, temporaryHome } from "./spawn-command.ts";

/** Runs a line of a shell, with the command in it. */
function shell(line: string, cwd: string) {
  return spawnSync("sh", ["-c", line], { cwd, encoding: "utf8", env: environmentOf({}) });
}

const look = shellWords(files.main, ["--offline", "What is in this folder?"]);

test("a turn in the current folder: text on stdout, notes on stderr, exit code 0", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "package.json"), '{ "name": "demo" }');

  const command = spawnCommand(files.main, ["--offline", "What is in this folder?"], { cwd });
  const { exitCode } = await command.ended;

  expect(exitCode).toBe(0);
  expect(command.stdout()).toMatch(/^No language model is connected/);
  expect(command.stdout()).toContain("package.json names the package demo.\n");
  expect(command.stderr()).toMatch(/^capstan: using offline, because .+\n• ls \.\n/);
});

test("wrong use exits with 2 and leaves stdout empty", async () => {
  const cwd = await temporaryFolder();
  const uses = [["--hlep"], [], ["--cwd", "nowhere", "prompt"]];

  const commands = uses.map((args) => spawnCommand(files.main, args, { cwd }));
  const ends = await Promise.all(commands.map(({ ended }) => ended));

  expect(ends.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2]);
  expect(commands.map(({ stdout }) => stdout())).toEqual(["", "", ""]);
  expect(commands.map(({ stderr }) => stderr().split("\n")[0])).toEqual([
    "capstan: Unknown option --hlep. Did you mean --help?",
    "Usage: capstan [options] <prompt>",
    `capstan: Working folder not found: ${cwd}/nowhere.`,
  ]);
});

test("a current folder that was removed is said to be gone", async () => {
  const { status, stderr } = shell(`mkdir a; cd a; rmdir ../a; ${look}`, await temporaryFolder());

  expect(status).toBe(2);
  expect(stderr).toMatch(/^capstan: Working folder not found: .+\/a\.\n/);
});

test("a HOME that is set to nothing does not make the working folder a home", async () => {
  const command = spawnCommand(files.main, ["doctor", "--offline"], {
    cwd: await temporaryFolder(),
    env: { HOME: "" },
  });
  await command.ended;

  expect(command.stdout()).toContain("store: /");
  expect(command.stdout()).not.toMatch(/ \.(config|local)/);
});

test("what a shell pipes in goes along, and a file as well", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "question.txt"), "echo from a file");
  const repeat = shellWords(files.bashTurn, ["--allow=*"]);

  const piped = shell(`echo "echo from a pipe" | ${repeat}`, cwd);
  const file = shell(`${repeat} < question.txt`, cwd);
  const closed = shell(`${look} <&-`, cwd);

  expect([piped.stdout, file.stdout]).toEqual(["Result: from a pipe\n", "Result: from a file\n"]);
  expect(closed.status).toBe(0);
});

test("a pipe of a parent in Node is read, and one that it left open holds nothing up", async () => {
  const cwd = await temporaryFolder();
  const written = spawnCommand(files.bashTurn, ["--allow=*"], { cwd, input: "echo written" });
  const open = spawnSync(
    process.execPath,
    [
      "-e",
      `const { spawn } = require("node:child_process");
     const child = spawn("sh", ["-c", process.argv[1]], { stdio: ["pipe", "inherit", "inherit"] });
     child.on("close", (code) => process.exit(code));`,
      look,
    ],
    { cwd, encoding: "utf8", env: environmentOf({}) },
  );

  await written.ended;

  expect(written.stdout()).toBe("Result: written\n");
  expect(open.status).toBe(0);
  expect(open.stderr).toContain("no input on stdin: continuing with the prompt alone\n");
});

test("every line of --json is JSON, and nothing else is on stdout", async () => {
  const cwd = await temporaryFolder();

  const command = spawnCommand(files.main, ["--offline", "--json", "folder"], { cwd });
  const { exitCode } = await command.ended;

  const lines = command.stdout().trimEnd().split("\n");
  const types = lines.map((line) => JSON.parse(line).type);
  expect(exitCode).toBe(0);
  expect([types.at(0), types.at(1), types.at(-2), types.at(-1)]).toEqual([
    "session",
    "turn_start",
    "turn_end",
    "result",
  ]);
});

test("a reader that leaves ends the turn quietly", async () => {
  const cwd = await temporaryFolder();
  const command = spawnCommand(files.main, ["--offline", "What is in this folder?"], { cwd });
  command.child.stdout?.destroy();

  const { exitCode, signal } = await command.ended;
  const head = shell(`${look} | head -1`, cwd);

  expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null });
  expect(command.stderr()).not.toMatch(/EPIPE|failed|interrupted|at /);
  expect(head.stdout).toBe(
    "No language model is connected: the offline provider only looks around.\n",
  );
});

test("a full disk for stdout is reported as an error", async ({ skip }) => {
  skip(process.platform !== "linux", "only Linux has /dev/full");

  const { status, stderr } = shell(`${look} > /dev/full`, await temporaryFolder());

  expect(status).toBe(1);
  expect(stderr).toMatch(/\ncapstan: cannot write the output: ENOSPC.*\n$/);
});

test("a store that another process has locked is said with its path, and exits with 1", async () => {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];
  const path = join(home, "locked.db");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t (a)");

  const command = spawnCommand(files.main, ["--offline", "folder"], {
    cwd,
    home,
    env: { CAPSTAN_STORE: path },
  });
  const { exitCode } = await command.ended;
  database.close();

  expect(exitCode).toBe(1);
  expect(command.stderr()).toContain(`The database ${path} failed (database is locked)`);
});

test("serve listens until it is told to end, and hands over in good order", async () => {
  const command = spawnCommand(files.main, ["serve", "--offline", "--port", "0"]);
  await command.seen("curl");
  const url = /serving the agent of .+ on (\S+)/.exec(command.stderr())?.[1] ?? "";

  const ready = await fetch(`${url}/readyz`);
  command.child.kill("SIGTERM");
  const { exitCode } = await command.ended;

  expect({ status: ready.status, exitCode }).toEqual({ status: 200, exitCode: 0 });
  expect(command.stderr()).toMatch(/\ncapstan: closing: .+\n$/);
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

test("bin/capstan.js stores compiled code in the user's own folder, and runs if it cannot be stored", async () => {
  const folder = await temporaryFolder();
  await cp(files.bin, join(folder, "bin/capstan.js"));
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const program =
    'import { getCompileCacheDir } from "node:module"; console.log("ran", getCompileCacheDir());';
  await writeFile(join(folder, "dist/main.js"), program);
  // The variable alone would make Node store it, without the command.
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env;
  const start = (caches: string): { stdout: string; stderr: string } =>
    spawnSync(join(folder, "bin/capstan.js"), {
      encoding: "utf8",
      env: { ...env, XDG_CACHE_HOME: caches },
    });

  const stored = start(folder);
  const refused = start(join(folder, "package.json"));

  expect(stored.stdout).toContain(`ran ${join(folder, "capstan")}`);
  expect([refused.stdout, refused.stderr]).toEqual(["ran undefined\n", ""]);
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

  const command = spawnCommand(files.bin, ["--offline", "What is in this folder?"], { cwd });
  const { exitCode } = await command.ended;

  expect({ exitCode, stdout: command.stdout() }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^No language model is connected.*This folder is empty\.\n$/s),
  });
});
