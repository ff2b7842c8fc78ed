import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "./memory-io.ts";
import { isAlive } from "./process-alive.ts";
import type { RunningCommand, SpawnOptions } from "./spawn-command.ts";
import { files, spawnCommand, temporaryHome } from "./spawn-command.ts";

/** A command in the middle of a tool: `sleep`, started by a shell of `bash`. */
async function inTool(options: SpawnOptions, ...flags: readonly string[]) {
  const { cwd = await temporaryFolder() } = options;
  const command = spawnCommand(
    files.bashTurn,
    [...flags, "--allow", "bash", "sleep 300 & echo $! > pid; mv pid started; wait"],
    { ...options, cwd },
  );
  const started = join(cwd, "started");
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 20_000 });
  return { command, cwd, pid: Number(readFileSync(started, "utf8")) };
}

/** Processes with this working folder. */
function processesIn(cwd: string): readonly string[] {
  const { stdout } = spawnSync("sh", ["-c", "ls -l /proc/[0-9]*/cwd 2>/dev/null"], {
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line.endsWith(` -> ${cwd}`));
}

async function endOf({ ended, stdout, stderr }: RunningCommand) {
  return { ...(await ended), stdout: stdout(), stderr: stderr() };
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends the turn with its processes in good order, with %i", async (name, code) => {
  const home = temporaryHome();
  const { command, pid, cwd } = await inTool({ home });
  const wasRunning = isAlive(pid);

  command.child.kill(name);
  const { exitCode, stderr } = await endOf(command);
  const listed = await endOf(spawnCommand(files.main, ["sessions"], { home, cwd }));

  expect({ wasRunning, exitCode, isRunning: isAlive(pid) }).toEqual({
    wasRunning: true,
    exitCode: code,
    isRunning: false,
  });
  expect(stderr).toContain("\ncapstan: interrupted\n");
  expect(listed.stdout).toMatch(/^\w{16}  just now  done /);
});

test.each(["one signal", "two signals"])(
  "a daemon of a command that ignores SIGTERM ends with %s",
  async (count) => {
    const cwd = await temporaryFolder();
    const script = `trap "" TERM; (setsid nohup sh -c 'echo $$ > pid; mv pid started; exec sleep 300' >/dev/null 2>&1 &); sleep 300; sleep 300`;
    const command = spawnCommand(files.bashTurn, ["--allow", "bash", script], { cwd });
    const started = join(cwd, "started");
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 20_000 });
    const pid = Number(readFileSync(started, "utf8"));
    const wasRunning = isAlive(pid);

    command.child.kill("SIGINT");
    if (count === "two signals") command.child.kill("SIGTERM");
    await command.ended;

    expect(wasRunning).toBe(true);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000 });
  },
);

test("what was said of a reply before SIGINT ends with its line", async () => {
  const command = spawnCommand(files.slowTurn, ["prompt"]);
  await command.seen("Working");

  command.child.kill("SIGINT");
  const { exitCode, signal, stdout, stderr } = await endOf(command);

  expect({ exitCode, signal, stdout }).toEqual({
    exitCode: 130,
    signal: null,
    stdout: "Working\n",
  });
  expect(stderr).toContain("\ncapstan: interrupted\n");
});

test("with --json an interrupted turn has its abort and its result", async () => {
  const { command } = await inTool({}, "--json");

  command.child.kill("SIGINT");
  const { stdout } = await endOf(command);

  const lines = stdout.trimEnd().split("\n");
  const parsed = lines.map((line) => JSON.parse(line));
  expect(parsed.map(({ type }) => type)).toContain("abort");
  expect(parsed.at(-1)).toMatchObject({ type: "result", status: "aborted", exitCode: 130 });
});

test("the second signal ends the process at once, without waiting for a tool", async () => {
  const cwd = await temporaryFolder();
  const command = spawnCommand(files.slowTurn, ["--allow=*", "with a deaf tool", "--", "--still"], {
    cwd,
  });
  await command.seen("• deaf");

  command.child.kill("SIGINT");
  await command.seen("deaf: so what");
  command.child.kill("SIGTERM");
  const { exitCode, signal, stderr } = await endOf(command);

  expect({ exitCode, signal }).toEqual({ exitCode: 143, signal: null });
  expect(stderr).not.toContain("interrupted");
});

test("after one SIGINT a deaf tool is waited for only as long as the grace period", async () => {
  const command = spawnCommand(files.slowTurn, ["--allow=*", "with a deaf tool"]);
  await command.seen("• deaf");

  command.child.kill("SIGINT");
  const { exitCode, stderr } = await endOf(command);

  expect(exitCode).toBe(130);
  expect(stderr).toContain("\ncapstan: interrupted\n");
});

test("a command that was left in the background ends with the turns that started it", async () => {
  const cwd = await temporaryFolder();
  const command = spawnCommand(
    files.bashTurn,
    ["--allow=*", "in the background: echo $$ > pid; mv pid started; sleep 300"],
    { cwd },
  );

  const { exitCode, stdout } = await endOf(command);

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Result: .*bash_output/s);
  expect(processesIn(cwd)).toEqual([]);
});

test("killed inside of a tool, the session goes on with --continue, and the tool does not run again", async () => {
  const home = temporaryHome();
  const { command, pid, cwd } = await inTool({ home });

  command.child.kill("SIGKILL");
  await command.ended;
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
  const unfinished = await endOf(spawnCommand(files.main, ["sessions"], { home, cwd }));
  const again = await endOf(
    spawnCommand(files.bashTurn, ["--continue", "--allow", "bash"], { home, cwd }),
  );
  const done = await endOf(spawnCommand(files.main, ["sessions"], { home, cwd }));

  expect(unfinished.stdout).toMatch(/^\w{16}  just now  unfinished  sleep 300/);
  expect({ exitCode: again.exitCode, stdout: again.stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^Result: .*unknown/i),
  });
  expect(again.stderr).not.toContain("another process");
  expect(done.stdout).toMatch(/^\w{16}  just now  done        sleep 300/);
});

test("after a kill inside a tool, a prompt comes after the unfinished turn", async () => {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];
  const { command } = await inTool({ home, cwd });
  command.child.kill("SIGKILL");
  await command.ended;

  const prompted = await endOf(
    spawnCommand(files.bashTurn, ["--continue", "--allow", "bash(echo hi)", "echo hi"], {
      home,
      cwd,
    }),
  );

  expect(prompted.exitCode).toBe(0);
  expect(prompted.stdout).toMatch(/^Result: .*\n\nResult: hi\n$/s);
});

test("after a kill inside a tool, --drop leaves the old turn as it is, and only the prompt is worked on", async () => {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];
  const { command } = await inTool({ home, cwd });
  command.child.kill("SIGKILL");
  await command.ended;

  const args = ["--continue", "--drop", "--allow", "bash(echo hi)", "echo hi"];
  const prompted = await endOf(spawnCommand(files.bashTurn, args, { home, cwd }));

  expect(prompted.exitCode).toBe(0);
  expect(prompted.stdout).toBe("Result: hi\n");
  expect(prompted.stderr).toContain("dropped the unfinished turn");
  expect(prompted.stderr).not.toContain("sleep 300");
});

test("a second process waits for the first, shows what it does, and then says its own", async () => {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];
  const first = spawnCommand(
    files.bashTurn,
    ["--allow=*", "touch started; while [ ! -e go ]; do sleep 0.1; done; echo first"],
    { home, cwd },
  );
  await vi.waitFor(() => expect(existsSync(join(cwd, "started"))).toBe(true), { timeout: 20_000 });

  const second = spawnCommand(files.bashTurn, ["-c", "--allow=*", "echo second"], { home, cwd });
  await second.seen("another process is working on this session: waiting for it");
  writeFileSync(join(cwd, "go"), "");
  const ends = await Promise.all([endOf(first), endOf(second)]);

  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(ends[0]?.stdout).toBe("Result: first\n");
  expect(ends[1]?.stdout).toBe("Result: first\n\nResult: second\n");
});

test("a second process that is interrupted while it waits leaves the turn of the first alone", async () => {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];
  const first = spawnCommand(
    files.bashTurn,
    ["--allow=*", "touch started; while [ ! -e go ]; do sleep 0.1; done; echo first"],
    { home, cwd },
  );
  await vi.waitFor(() => expect(existsSync(join(cwd, "started"))).toBe(true), { timeout: 20_000 });
  const second = spawnCommand(files.bashTurn, ["-c"], { home, cwd });
  await second.seen("waiting for it");

  second.child.kill("SIGINT");
  const interrupted = await endOf(second);
  writeFileSync(join(cwd, "go"), "");
  const { exitCode, stdout } = await endOf(first);

  expect(interrupted.exitCode).toBe(130);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Result: first\n" });
});

test("several at once in one folder each have their own session", async () => {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];

  const commands = ["a", "b", "c", "d"].map((name) =>
    spawnCommand(files.bashTurn, ["--allow=*", `echo ${name} >> all.txt; echo ${name}`], {
      home,
      cwd,
    }),
  );
  const ends = await Promise.all(commands.map(endOf));
  const { stdout } = await endOf(spawnCommand(files.main, ["sessions"], { home, cwd }));

  expect(ends.map((end) => end.stdout)).toEqual(["a", "b", "c", "d"].map((n) => `Result: ${n}\n`));
  expect(stdout.match(/ done /g)).toHaveLength(4);
  expect(readFileSync(join(cwd, "all.txt"), "utf8").split("\n").toSorted().join("")).toBe("abcd");
});
