import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, reply, say, usage } from "@capstan/testing";
import { expect, test } from "vitest";
import { run } from "../src/process/run.ts";
import type { MemoryIo } from "./memory-io.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { jsonLines, runScripted } from "./scripted-io.ts";

async function sessions(home: string, cwd: string, ...words: readonly string[]) {
  const io = memoryIo({ home, cwd });
  const exitCode = await run(["sessions", ...words], io);
  return { exitCode, io, stdout: io.stdoutText() };
}

const idIn = (io: MemoryIo): string => / session (\w+)\n$/.exec(io.stderrText())?.[1] ?? "";

test("sessions lists those of this folder, newest first, and with --all those of the others too", async () => {
  const [home, here, there] = [memoryIo().home, await temporaryFolder(), await temporaryFolder()];
  await runScripted(["the\nfirst"], [reply(say("1"))], { home, cwd: here });
  await runScripted(["the second"], [reply(say("2"))], { home, cwd: there });
  await runScripted(["the third"], [reply(say("3"))], { home, cwd: here });

  const own = await sessions(home, here);
  const all = await sessions(home, here, "list", "--all");

  expect(own.stdout).toMatch(
    /^\w{16}  just now  done        the third\n\w{16}  just now  done        the first\n$/,
  );
  expect(all.stdout.split("\n")[1]).toMatch(
    new RegExp(`^\\w{16}  just now  done        the second  \\(${there}\\)$`),
  );
});

test("sessions list --json gives a line of JSON for each", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const { io } = await runScripted(["the first"], [reply(say("1"))], { home, cwd });

  const { io: listed } = await sessions(home, cwd, "list", "--json");

  expect(jsonLines(listed)).toEqual([
    {
      id: idIn(io),
      title: "the first",
      status: "completed",
      folder: cwd,
      updatedAt: expect.any(Number),
    },
  ]);
});

test("an empty list says so on stderr, and is no failure", async () => {
  const { home } = memoryIo();

  const { exitCode, io } = await sessions(home, home);

  expect({ exitCode, stdout: io.stdoutText() }).toEqual({ exitCode: 0, stdout: "" });
  expect(io.stderrText()).toContain(`capstan: no sessions in ${home}; for other folders`);
});

test("sessions show gives the facts of one, and a line for each message", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const todos = [{ content: "Look", status: "completed" }];
  const { io } = await runScripted(
    ["the first"],
    [
      reply(say("I look."), callTool("read", { path: "no.txt" })),
      reply(callTool("write_todos", { todos })),
      reply(say("Nothing there."), usage({ inputTokens: 10, outputTokens: 2 })),
    ],
    { home, cwd },
  );

  const { exitCode, stdout } = await sessions(home, cwd, "show", idIn(io).slice(0, 8));

  expect(exitCode).toBe(0);
  const shown = stdout.replace(/updated .*/, "updated   …").replace(/system [^]*Date: .*\n/, "");
  expect(shown.split("\n")).toEqual([
    "title     the first",
    `session   ${idIn(io)}`,
    `folder    ${cwd}`,
    "status    done",
    "model     scripted",
    "updated   …",
    "took      at least 10 tokens in, 2 out",
    "messages  6",
    "",
    "user       the first",
    "assistant  I look.",
    "           • read no.txt",
    "           failed: no.txt does not exist. Use ls to see which files exist.",
    "           • write_todos [1]",
    "assistant  Nothing there.",
    "[x] Look",
    "",
  ]);
});

test("sessions show gives the instructions in full, line by line", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const long = "Use tabs. ".repeat(20).trim();
  await writeFile(join(cwd, "AGENTS.md"), `${long}\nUse \u202Elf.\n`);
  const { io } = await runScripted(["the first"], [reply(say("ok"))], { home, cwd });

  const { stdout } = await sessions(home, cwd, "show", idIn(io));

  expect(stdout).toContain("\nsystem     You are Capstan, an agent");
  expect(stdout).toContain(`\n           ${long}\n           Use <U+202E>lf.\n`);
});

test("sessions delete removes what is named, and says what that was", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const first = await runScripted(["the first"], [reply(say("1"))], { home, cwd });
  const second = await runScripted(["the second"], [reply(say("2"))], { home, cwd });

  const { exitCode, stdout } = await sessions(home, cwd, "delete", idIn(first.io));
  const left = await sessions(home, cwd);

  expect(exitCode).toBe(0);
  expect(stdout).toBe(`deleted ${idIn(first.io)}  the first\n`);
  expect(left.stdout.split("\n").slice(0, -1)).toEqual([expect.stringContaining(idIn(second.io))]);
});

test("sessions delete removes nothing if one of the ids is of none", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const { io } = await runScripted(["the first"], [reply(say("1"))], { home, cwd });

  const { exitCode, io: refused } = await sessions(home, cwd, "delete", idIn(io), "zzzz");
  const left = await sessions(home, cwd);

  expect(exitCode).toBe(2);
  expect(refused.stderrText()).toContain('Unknown session "zzzz"');
  expect(left.stdout).toContain(idIn(io));
});

/** Sets the session aside as a host would; the store and its lease stay open. */
async function setAsideIn(home: string, id: string, setAside: { reason: string; at: number }) {
  const store = sqlite(join(home, ".local/share/capstan/sessions.db"));
  const claim = await store.acquire(id, "test", 60_000);
  const { lease, head } = claim as NonNullable<typeof claim>;
  await store.append(id, [], { lease, head: { ...head, setAside } });
  return { store, lease };
}

test("a session that was set aside is listed with the reason, and can be released once", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const { io } = await runScripted(["the first"], [reply(say("1"))], { home, cwd });
  const id = idIn(io);
  const setAside = { reason: "it cannot be\nrecorded", at: 1 };
  const { store, lease } = await setAsideIn(home, id, setAside);
  await store.release(lease);
  await store.close();

  const before = await sessions(home, cwd);
  const json = await sessions(home, cwd, "list", "--json");
  const released = await sessions(home, cwd, "release", id.slice(0, 8));
  const after = await sessions(home, cwd);
  const again = await sessions(home, cwd, "release", id);

  expect(before.stdout).toContain("set aside   the first  [it cannot be recorded]");
  expect(JSON.parse(json.stdout)).toMatchObject({ id, setAside });
  expect(released).toMatchObject({ exitCode: 0, stdout: `released ${id}  the first\n` });
  expect(after.stdout).toContain("done        the first");
  expect(again.exitCode).toBe(2);
});

test("the unfinished turn of a session is dropped, once", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const { io } = await runScripted(["the first"], [reply(say("1"))], { home, cwd });
  const id = idIn(io);
  const { store, lease } = await setAsideIn(home, id, { reason: "it hangs", at: 1 });
  const messages = [{ role: "user", id: "t2", content: "the second" }] as const;
  await store.post(id, { v: 1, id: "t2", at: 1, type: "input", messages });
  await store.release(lease);
  await store.close();

  const dropped = await sessions(home, cwd, "abandon", id.slice(0, 8));
  const after = await sessions(home, cwd);
  const again = await sessions(home, cwd, "abandon", id);

  expect(dropped).toMatchObject({
    exitCode: 0,
    stdout: `abandoned the turn of ${id}  the first\n`,
  });
  expect(after.stdout).toContain("failed      the first");
  expect(again.exitCode).toBe(2);
  expect(again.io.stderrText()).toContain(`Session ${id} has no unfinished turn.`);
});

test("a session that was set aside and is held by a process cannot be released", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const { io } = await runScripted(["the first"], [reply(say("1"))], { home, cwd });
  const id = idIn(io);
  const { store } = await setAsideIn(home, id, { reason: "it cannot be recorded", at: 1 });

  const { exitCode, io: refused } = await sessions(home, cwd, "release", id);
  await store.close();

  expect(exitCode).toBe(1);
  expect(refused.stderrText()).toContain(`Session ${id} is in use`);
});
