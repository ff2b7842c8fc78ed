import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineTool } from "@capstan/core";
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { runScripted } from "./scripted-io.ts";

const storeOf = (home: string): string => join(home, ".local/share/capstan/sessions.db");

/** Runs a command on a store that was tampered with. */
async function runOn(spoil: (path: string) => void | Promise<void>) {
  const { home } = memoryIo();
  const path = storeOf(home);
  await mkdir(dirname(path), { recursive: true });
  await spoil(path);
  const { exitCode, io } = await runScripted(["prompt"], [reply(say("ok"))], { home });
  return { exitCode, path, stderr: io.stderrText(), stdout: io.stdoutText() };
}

test("the folder and the file of the sessions are made for their user alone", async () => {
  const { io } = await runScripted(["prompt"], [reply(say("ok"))]);

  const modes = await Promise.all(
    [dirname(storeOf(io.home)), storeOf(io.home)].map(async (path) => (await stat(path)).mode),
  );

  expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(["700", "600"]);
});

test("CAPSTAN_STORE names another file", async () => {
  const store = join(await temporaryFolder(), "deep/in/here.db");

  const { exitCode } = await runScripted(["prompt"], [reply(say("ok"))], {
    env: { CAPSTAN_STORE: store },
  });

  expect(exitCode).toBe(0);
  expect((await stat(store)).isFile()).toBe(true);
});

test.each([
  [
    "is no database",
    (path: string) => writeFile(path, "not a database, but long enough to be looked at".repeat(9)),
    "the file is not a SQLite database: choose another path, or restore it from a backup",
  ],
  [
    "is of a newer version",
    (path: string) => {
      const database = new DatabaseSync(path);
      database.exec("CREATE TABLE t (a); PRAGMA application_id = 0x43415053");
      database.exec("PRAGMA user_version = 99");
      database.close();
    },
    "was written by a newer version",
  ],
  [
    "is the database of another program",
    (path: string) => {
      const database = new DatabaseSync(path);
      database.exec("CREATE TABLE t (a)");
      database.close();
    },
    "is not a session database: choose another path",
  ],
  ["is a folder", (path: string) => mkdir(path).then(() => {}), "EISDIR"],
])("a store that %s is said with its path, and exits with 1", async (_, spoil, why) => {
  const { exitCode, path, stderr, stdout } = await runOn(spoil);

  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/capstan: Cannot (open the|store) sessions/);
  expect(stderr).toContain(path);
  expect(stderr).toContain(why);
});

test("a store that fails in the middle of a turn ends it with 1, and with what to do", async () => {
  const { home } = memoryIo();
  const spoil = defineTool({
    name: "spoil",
    description: "Takes the store what it needs",
    input: z.object({}),
    effect: "pure",
    execute: () => {
      const database = new DatabaseSync(storeOf(home));
      database.exec("DROP TABLE entries");
      database.close();
      return "done";
    },
  });

  const { exitCode, io } = await runScripted(
    ["--allow=*", "prompt"],
    [reply(callTool("spoil", {})), reply(say("never said"))],
    { home, tools: [spoil] },
  );

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toContain(`capstan: the turn failed: The database ${storeOf(home)}`);
  expect(io.stderrText()).toContain("resume with --continue\n");
});

test("a store that fails while an unfinished turn goes on is said once, and the prompt is not tried", async () => {
  const { home } = memoryIo();
  const change = (sql: string): void => {
    const database = new DatabaseSync(storeOf(home));
    database.exec(sql);
    database.close();
  };
  const hide = defineTool({
    name: "hide",
    description: "Takes the store what it needs",
    input: z.object({}),
    effect: "pure",
    execute: () => change("ALTER TABLE entries RENAME TO hidden"),
  });
  const script = [reply(callTool("hide", {})), reply(say("never said"))];
  await runScripted(["--allow=*", "prompt"], script, { home, tools: [hide] });
  change("ALTER TABLE hidden RENAME TO entries");

  const { exitCode, io } = await runScripted(["--allow=*", "-c", "more"], script, {
    home,
    tools: [hide],
  });

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toContain(`capstan: the turn failed: The database ${storeOf(home)}`);
  expect(io.stderrText()).not.toContain("what was unfinished has failed");
});

test("a store below a file is said with its path, and exits with 1", async () => {
  const { home } = memoryIo();
  await writeFile(join(home, "file"), "");
  const store = join(home, "file/sessions.db");

  const { exitCode, io } = await runScripted(["prompt"], [], {
    home,
    env: { CAPSTAN_STORE: store },
  });

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toContain(`capstan: Cannot store sessions in ${store}: `);
  expect(io.stderrText()).toContain(`${join(home, "file")} is a file, not a folder; `);
});

test("a store that cannot be written is said with its path, and exits with 1", async ({ skip }) => {
  skip(process.getuid?.() === 0, "root may write everything");

  const { exitCode, path, stderr } = await runOn(async (store) => {
    await writeFile(store, "");
    await chmod(store, 0o400);
  });

  expect(exitCode).toBe(1);
  expect(stderr).toContain(`capstan: Cannot store sessions in ${path}: EACCES`);
});
