import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UserMessage } from "@capstan/kernel";
import type { ScriptedProvider } from "@capstan/testing";
import { callTool, failAfter, failBefore, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { run } from "../src/process/run.ts";
import type { MemoryIo } from "./memory-io.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { jsonLines, runScripted } from "./scripted-io.ts";

/** Texts of the user messages in this request. */
function saidIn(provider: ScriptedProvider, request: number): readonly string[] {
  const messages = provider.requests[request]?.messages ?? [];
  const users = messages.filter((message): message is UserMessage => message.role === "user");
  return users.map(({ content }) => (typeof content === "string" ? content : "parts"));
}

async function listOf(home: string): Promise<readonly string[]> {
  const io = memoryIo({ home });
  await run(["sessions", "--all"], io);
  return io.stdoutText().trimEnd().split("\n");
}

const idIn = (io: MemoryIo): string => / session (\w+)\n$/.exec(io.stderrText())?.[1] ?? "";

test("--continue goes on with the newest session of the folder, and of no other", async () => {
  const [home, here, there] = [memoryIo().home, await temporaryFolder(), await temporaryFolder()];
  await runScripted(["first"], [reply(say("one"))], { home, cwd: here });
  await runScripted(["elsewhere"], [reply(say("two"))], { home, cwd: there });

  const { io, exitCode, provider } = await runScripted(
    ["--continue", "second"],
    [reply(say("three"))],
    { home, cwd: here },
  );

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toBe("three\n");
  expect(saidIn(provider, 0)).toEqual(["first", "second"]);
  expect(await listOf(home)).toHaveLength(2);
});

test("--continue without a session of the folder says how to begin one", async () => {
  const { io, exitCode } = await runScripted(["--continue"], []);

  expect(exitCode).toBe(2);
  expect(io.stderrText()).toContain(`No session to resume in ${io.cwd}: start one with`);
});

test("--continue without a prompt says that there is nothing to finish, if nothing is", async () => {
  const { io: first } = await runScripted(["first"], [reply(say("one"))]);

  const { io, exitCode } = await runScripted(["-c"], [], { home: first.home });

  expect(exitCode).toBe(0);
  expect(io.stderrText()).toContain("capstan: nothing to resume: add a prompt to continue\n");
  expect(io.stdoutText()).toBe("");
});

test("--continue without a prompt goes on with a turn that failed before it said anything", async () => {
  const { io: first } = await runScripted(["first"], [failBefore(new Error("gone"))]);

  const { io, exitCode, provider } = await runScripted(["-c"], [reply(say("back"))], {
    home: first.home,
  });

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toBe("back\n");
  expect(saidIn(provider, 0)).toEqual(["first"]);
});

test("--continue without a prompt goes on with a turn that failed in the middle of a reply", async () => {
  const cut = reply(say("It is"), failAfter(new Error("cut")));
  const { io: first } = await runScripted(["first"], [cut]);

  const { io, exitCode, provider } = await runScripted(["-c"], [reply(say("back"))], {
    home: first.home,
  });

  expect({ exitCode, text: io.stdoutText() }).toEqual({ exitCode: 0, text: "back\n" });
  expect(saidIn(provider, 0)).toEqual(["first", "Your reply failed. Continue."]);
});

test("--resume takes the beginning of an id, from any folder, and works in that of the session", async () => {
  const [home, there] = [memoryIo().home, await temporaryFolder()];
  const { io: first } = await runScripted(["first"], [reply(say("one"))], { home, cwd: there });
  const script = [reply(callTool("write", { path: "made.txt", content: "x" })), reply(say("ok"))];

  const { io, exitCode } = await runScripted(
    ["--resume", idIn(first).slice(0, 6), "--allow", "write", "go on"],
    script,
    { home, cwd: await temporaryFolder() },
  );

  expect(exitCode).toBe(0);
  expect(io.stderrText()).toContain(`capstan: this session works in ${there}\n`);
  expect(idIn(io)).toBe(idIn(first));
  expect(existsSync(join(there, "made.txt"))).toBe(true);
});

test("--resume of a session whose folder is gone says so", async () => {
  const [home, parent] = [memoryIo().home, await temporaryFolder()];
  await mkdir(join(parent, "gone"));
  const { io: first } = await runScripted(["first"], [reply(say("one"))], {
    home,
    cwd: join(parent, "gone"),
  });
  await rm(join(parent, "gone"), { recursive: true });

  const { io, exitCode } = await runScripted(["-r", idIn(first), "on"], [], { home });

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toContain(`The folder of this session no longer exists: ${parent}/gone.`);
});

test("--resume without an id shows the sessions to choose from, and exits with 2", async () => {
  const { io: first } = await runScripted(["first"], [reply(say("one"))]);

  const { io, exitCode } = await runScripted(["--resume"], [], { home: first.home });

  expect(exitCode).toBe(2);
  expect(io.stderrText()).toMatch(
    /^\w{16}  just now  done        first  \(.+\)\ncapstan: --resume needs a session id/,
  );
});

test("--resume with an id that is of none, or of many, is refused", async () => {
  const home = memoryIo().home;
  await Promise.all(
    Array.from({ length: 33 }, () => runScripted(["first"], [reply(say("one"))], { home })),
  );
  // 33 ids of 32 letters: two of them begin with the same one.
  const letters = (await listOf(home)).map((line) => line.charAt(0));
  const twice = letters.find((letter, place) => letters.indexOf(letter) !== place) ?? "";

  const none = await runScripted(["-r", "zzzz", "on"], [], { home });
  const many = await runScripted(["-r", twice, "on"], [], { home });

  expect([none.exitCode, many.exitCode]).toEqual([2, 2]);
  expect(none.io.stderrText()).toContain('Unknown session "zzzz"');
  expect(many.io.stderrText()).toMatch(/matches \d+ sessions, such as .+: use a longer prefix\./);
});

test("--fork goes on with a copy and leaves the original as it is", async () => {
  const { io: first } = await runScripted(["first"], [reply(say("one"))]);
  const { home } = first;

  const { io, provider } = await runScripted(["-c", "--fork", "other"], [reply(say("two"))], {
    home,
  });
  const { provider: original } = await runScripted(
    ["-r", idIn(first), "second"],
    [reply(say("three"))],
    { home },
  );

  expect(io.stderrText()).toContain(`is a copy of ${idIn(first)}\n`);
  expect(idIn(io)).not.toBe(idIn(first));
  expect(saidIn(provider, 0)).toEqual(["first", "other"]);
  expect(saidIn(original, 0)).toEqual(["first", "second"]);
});

test("--trust where the command was called is no trust in the folder of the session", async () => {
  const [home, there] = [memoryIo().home, await temporaryFolder()];
  const { io: first } = await runScripted(["first"], [reply(say("one"))], { home, cwd: there });
  await writeFile(join(there, "capstan.json"), '{ "permissions": { "allow": ["write"] } }');

  const { io } = await runScripted(
    ["--resume", idIn(first), "--trust", "go on"],
    [reply(callTool("write", { path: "made.txt", content: "x" })), reply(say("ok"))],
    { home, cwd: await temporaryFolder() },
  );

  expect(io.stderrText()).toContain("refused: write made.txt");
  expect(existsSync(join(there, "made.txt"))).toBe(false);
});

test("the thinking that was asked for stays with the session", async () => {
  const { io } = await runScripted(["--thinking", "high", "first"], [reply(say("one"))]);

  const { provider } = await runScripted(["-c", "second"], [reply(say("two"))], {
    home: io.home,
  });

  expect(provider.requests[0]?.options).toMatchObject({ thinkingLevel: "high" });
});

test("the model that was asked for stays with the session", async () => {
  const first = memoryIo();
  await run(["--model", "offline", "folder"], first);
  const again = memoryIo({ home: first.home });

  const exitCode = await run(["--continue", "--json", "folder"], again);

  expect(exitCode).toBe(0);
  expect(again.stderrText()).toContain("using offline, because the session uses it\n");
  expect(jsonLines(again)[0]).toMatchObject({ type: "session", model: "offline" });
});
