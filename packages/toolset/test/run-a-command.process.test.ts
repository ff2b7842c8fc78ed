import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bashTool } from "@capstan/toolset";
import { openSession } from "./collect-events.ts";
import { isAlive } from "./process-alive.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The numbers that a command wrote into a file, once it has. */
async function pidsIn(file: string, count: number): Promise<readonly number[]> {
  // No text until the command has written the file.
  return expect
    .poll(async () => (await readFile(file, "utf8").catch(() => "")).match(/\d+\n/g) ?? [], {
      timeout: 10_000,
    })
    .toHaveLength(count)
    .then(async () => (await readFile(file, "utf8")).trim().split("\n").map(Number));
}

/** A shell, a child, a grandchild, and one that has left the group: each writes its number and stays. */
const family = [
  "echo $$ >> pids",
  "(echo $BASHPID >> pids; sleep 1000 & echo $! >> pids; wait) &",
  "setsid sh -c 'echo $$ >> pids; exec sleep 1000' &",
  "trap '' TERM; sleep 1000; sleep 1000",
].join("\n");

/** Leaves the group and the session of its command, ignores SIGHUP, and writes its number. */
const daemon = "(setsid nohup sh -c 'echo $$ > pids; exec sleep 1000' >/dev/null 2>&1 &)";

test("both streams come as they are written, and the answer has all of it", async () => {
  const cwd = await temporaryFolder();

  const done = await openSession().call(bashTool(), { command: "echo out; echo err >&2" }, { cwd });

  expect(done.output.split("\n").toSorted()).toEqual(["", "err", "out"]);
  expect(done.deltas).toBe(done.output);
  expect(done).toMatchObject({
    isError: false,
    details: { exitCode: 0, signal: null, isTimeout: false },
  });
});

test.each([
  ["exit 3", "(Exit code 3.)", true],
  ["echo half; kill -9 $$", "half\n(Ended by SIGKILL.)", true],
  ["true", "(No output.)", false],
  ["cat", "(No output.)", false],
  ["printf 'ä%.0s' 1 2 3", "äää", false],
  ["nosuchcommand 2>/dev/null", "(Exit code 127.)", true],
])("%s is answered with %o", async (command, output, isError) => {
  const cwd = await temporaryFolder();

  const done = await openSession().call(bashTool(), { command }, { cwd });

  expect(done).toMatchObject({ output, isError });
});

test("every call starts in the working folder, or in one below it", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "src"));
  const { call } = openSession();

  await call(bashTool(), { command: "cd src" }, { cwd });
  const here = await call(bashTool(), { command: "pwd" }, { cwd });
  const below = await call(bashTool(), { command: "pwd", path: "src" }, { cwd });
  const outside = await call(bashTool(), { command: "pwd", path: ".." }, { cwd });

  expect(here.output).toBe(`${cwd}\n`);
  expect(below.output).toBe(`${cwd}/src\n`);
  expect(outside).toMatchObject({ isError: true });
});

test("of a long output the beginning and the end are kept", async () => {
  const cwd = await temporaryFolder();
  const tool = bashTool({ maxOutputChars: 1000 });

  const done = await openSession().call(tool, { command: "seq 1 100000" }, { cwd });

  expect(done.output.length).toBeLessThan(1100);
  expect(done.output).toMatch(/^1\n2\n3\n[^]*characters omitted[^]*\n99999\n100000\n$/);
  expect(done.deltas.length).toBe(1000);
});

test("keys are not in the environment of commands, unless they are given to them", async () => {
  const cwd = await temporaryFolder();
  process.env["CAPSTAN_TEST_API_KEY"] = "sk-1";
  process.env["CAPSTAN_TEST_URL"] = "postgres://user:word@host/db";
  const command = "echo $CAPSTAN_TEST_API_KEY $CAPSTAN_TEST_URL $HOME";
  const { call } = openSession();

  const without = await call(bashTool(), { command }, { cwd });
  const given = await call(bashTool({ env: process.env }), { command }, { cwd });

  expect(without.output).toBe(`${process.env["HOME"]}\n`);
  expect(given.output).toContain("sk-1 postgres://user:word@host/db");
});

test("a timeout ends the command and everything that it started", async () => {
  const cwd = await temporaryFolder();

  const done = await openSession().call(bashTool(), { command: family, timeoutMs: 700 }, { cwd });

  const pids = await pidsIn(join(cwd, "pids"), 4);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  expect(done).toMatchObject({ isError: true, details: { isTimeout: true } });
  expect(done.output).toContain("Timed out after 700 ms.");
});

test("an abort ends a daemon, though the command holds on", async () => {
  const cwd = await temporaryFolder();
  const controller = new AbortController();
  const { signal } = controller;
  const command = `trap "" TERM; ${daemon}; sleep 1000; sleep 1000`;
  const call = openSession().call(bashTool(), { command }, { cwd, signal });
  const pids = await pidsIn(join(cwd, "pids"), 1);

  controller.abort(new Error("the user left"));

  await expect(call).rejects.toThrow("the user left");
  await expect.poll(() => pids.filter(isAlive), { interval: 20, timeout: 10_000 }).toEqual([]);
});

test("a timeout above the maximum is clamped, and told if it is reached", async () => {
  const cwd = await temporaryFolder();
  const tool = bashTool({ maxTimeoutMs: 300 });

  const quick = await openSession().call(tool, { command: "echo ok", timeoutMs: 9e9 }, { cwd });
  const slow = await openSession().call(tool, { command: "sleep 100", timeoutMs: "5000" }, { cwd });

  expect(quick.output).toBe("ok\n");
  expect(slow.output).toContain(
    "(timeoutMs is 300 instead of 5000: the maximum. Timed out after 300 ms.",
  );
});

test("an abort ends the command and everything that it started", async () => {
  const cwd = await temporaryFolder();
  const controller = new AbortController();

  const { signal } = controller;
  const call = openSession().call(bashTool(), { command: family }, { cwd, signal });
  const pids = await pidsIn(join(cwd, "pids"), 4);
  const before = pids.filter(isAlive);
  controller.abort(new Error("the user left"));

  await expect(call).rejects.toThrow("the user left");
  expect(before).toEqual(pids);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test("what a command leaves running is ended with it, and does not hold up the answer", async () => {
  const cwd = await temporaryFolder();

  const done = await openSession().call(
    bashTool(),
    { command: "sleep 1000 & echo $! > pids; echo started" },
    { cwd },
  );

  const pids = await pidsIn(join(cwd, "pids"), 1);
  expect(done.output).toBe("started\n");
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test("a daemon that has left the group of its command outlives a normal end, as documented", async () => {
  const cwd = await temporaryFolder();
  const command = `${daemon}; until [ -s pids ]; do sleep 0.01; done; echo started`;

  const done = await openSession().call(bashTool(), { command }, { cwd });

  const [pid = 0] = await pidsIn(join(cwd, "pids"), 1);
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  expect(done.output).toBe("started\n");
  expect(isAlive(pid)).toBe(true);
});

test("a reader that leaves ends the command", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "loop.sh"), "echo $$ >> pids; while :; do echo x; sleep 0.01; done");
  const tool = bashTool({ cwd });
  const parsed = await tool.parseInput?.({ command: "sh loop.sh" });
  // The input fits, and the tool streams.
  const { value } = parsed as { value: never };
  const context = { signal: new AbortController().signal, cwd } as never;
  const events = tool.execute?.(value, context) as AsyncIterable<{ type: string }>;

  for await (const event of events) {
    expect(event.type).toBe("delta");
    break;
  }

  const pids = await pidsIn(join(cwd, "pids"), 1);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});
