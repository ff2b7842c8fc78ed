import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bashKillTool, bashOutputTool, bashTool } from "@capstan/toolset";
import { openSession } from "./collect-events.ts";
import { isAlive } from "./process-alive.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const host = fileURLToPath(new URL("./fixtures/host-with-commands.ts", import.meta.url));

async function start(command: string) {
  const session = openSession();
  const cwd = await temporaryFolder();
  const { output } = await session.call(bashTool(), { command, background: true }, { cwd });
  const job = /job-[0-9a-f]+/.exec(output)?.[0] ?? "";
  return { ...session, job, cwd };
}

test("a job goes on, its output is read in parts, and its end is told", async () => {
  const { call, job, cwd } = await start("echo one; until [ -e go ]; do sleep 0.02; done; exit 4");

  const first = await call(bashOutputTool(), { job, waitMs: 10_000 });
  await call(bashTool(), { command: "touch go" }, { cwd });
  const second = await call(bashOutputTool(), { job, from: 4, waitMs: 10_000 });

  expect(first.output).toBe("one\n(Still running. Continue with from: 4.)");
  expect(first.details).toMatchObject({ job, isRunning: true });
  expect(second.output).toBe("(Exit code 4. Continue with from: 4.)");
  expect(second.details).toMatchObject({ isRunning: false, exitCode: 4 });
});

test("a job that is killed is gone with what it started, and killing it again is the same", async () => {
  const { call, job, cwd } = await start("sleep 1000 & echo $! $$ > pids; echo up; wait");
  await call(bashOutputTool(), { job, waitMs: 10_000 });
  const pids = (await readFile(join(cwd, "pids"), "utf8")).trim().split(" ").map(Number);

  const first = await call(bashKillTool(), { job });
  const second = await call(bashKillTool(), { job });

  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  expect([first.output, second.output]).toEqual([`${job} has ended.`, `${job} has ended.`]);
  expect(first.details).toMatchObject({ isRunning: false, signal: "SIGTERM" });
});

test("jobs end with the session", async () => {
  const { call, dispose, job, cwd } = await start("echo $$ > pids; echo up; sleep 1000");
  await call(bashOutputTool(), { job, waitMs: 10_000 });
  const pid = Number(await readFile(join(cwd, "pids"), "utf8"));
  const before = isAlive(pid);

  await dispose();

  expect(before).toBe(true);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("a job of another session is not known", async () => {
  const { job } = await start("sleep 1000");

  const done = await openSession().call(bashOutputTool(), { job });

  expect(done).toMatchObject({ isError: true });
  expect(done.output).toContain(`Unknown job ${job}.`);
});

test("a process that comes to its end although a job runs takes the job with it", async () => {
  const cwd = await temporaryFolder();

  await promisify(execFile)(process.execPath, ["--conditions=@capstan/source", host, cwd, "job"]);

  const pid = Number(await readFile(join(cwd, "pids"), "utf8"));
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("a process that exits right after a timeout leaves no daemon of the command", async () => {
  const cwd = await temporaryFolder();

  await promisify(execFile)(process.execPath, [
    "--conditions=@capstan/source",
    host,
    cwd,
    "timeout",
  ]);

  const pid = Number(await readFile(join(cwd, "pids"), "utf8"));
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("a process that is killed takes its commands with it, and what has left their group", async () => {
  const cwd = await temporaryFolder();
  const child = spawn(process.execPath, ["--conditions=@capstan/source", host, cwd, "command"]);
  // None until the command has written the file.
  const pids = async (): Promise<number[]> =>
    (await readFile(join(cwd, "pids"), "utf8").catch(() => ""))
      .split("\n")
      .slice(0, -1)
      .map(Number);
  await expect.poll(pids, { timeout: 15_000 }).toHaveLength(3);
  const before = (await pids()).filter(isAlive);

  child.kill("SIGKILL");
  await once(child, "exit");

  expect(before).toEqual(await pids());
  await expect.poll(async () => (await pids()).filter(isAlive)).toEqual([]);
});
