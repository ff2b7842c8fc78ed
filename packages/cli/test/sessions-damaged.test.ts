import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { jsonLines, runScripted } from "./scripted-io.ts";

async function sessions(home: string, cwd: string, ...words: readonly string[]) {
  const io = memoryIo({ home, cwd });
  const exitCode = await run(["sessions", ...words], io);
  return { exitCode, io, stdout: io.stdoutText(), stderr: io.stderrText() };
}

/** A session of two turns, the reply of the second of which is damaged, or what has this text in it. */
async function damaged(
  text = '"text":"Naples"',
): Promise<{ home: string; cwd: string; id: string }> {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const first = await runScripted(["the question"], [reply(say("Rome"))], { home, cwd });
  await runScripted(["-c", "and now"], [reply(say("Naples"))], { home, cwd });
  const database = new DatabaseSync(join(home, ".local/share/capstan/sessions.db"));
  database.prepare(`UPDATE entries SET body = '{"v":1' WHERE body LIKE ?`).run(`%${text}%`);
  database.close();
  return { home, cwd, id: / session (\w+)\n$/.exec(first.io.stderrText())?.[1] ?? "" };
}

test("a damaged session is shown as far as it is readable, and what is lost is said", async () => {
  const { home, cwd, id } = await damaged();

  const shown = await sessions(home, cwd, "show", id);
  const exported = await sessions(home, cwd, "export", id);

  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).toContain("assistant  Rome");
  expect(shown.stdout).toContain("user       and now");
  expect(shown.stderr).toContain("the session is damaged: lost: ");
  expect(shown.stderr).toContain(`capstan sessions repair ${id}`);
  expect(exported.stderr).toContain("the session is damaged");
  expect(jsonLines(exported.io).length).toBeGreaterThan(5);
});

test("sessions repair makes a copy that goes on, and keeps the damaged session", async () => {
  const { home, cwd, id } = await damaged();

  const repaired = await sessions(home, cwd, "repair", id);
  const copy = repaired.stdout.trim();
  const next = await runScripted(["--resume", copy, "go on"], [reply(say("Ostia"))], { home, cwd });

  expect(repaired.exitCode).toBe(0);
  expect(repaired.stderr).toContain("kept entries 1 to ");
  expect(next.io.stdoutText()).toContain("Ostia");
  const shown = await sessions(home, cwd, "show", copy);
  expect(shown.stdout).toContain("assistant  Rome");
  expect(shown.stderr).toBe("");
  expect((await sessions(home, cwd, "show", id)).stderr).toContain("the session is damaged");
});

test("sessions repair of a session of which nothing sound is left says so, and makes no copy", async () => {
  const { home, cwd, id } = await damaged('"type":"created"');

  const refused = await sessions(home, cwd, "repair", id);

  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toContain(`Session "${id}" cannot be repaired`);
  expect((await sessions(home, cwd)).stdout.trim().split("\n")).toHaveLength(1);
});

test("sessions repair of a sound session is refused", async () => {
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  const { io } = await runScripted(["the question"], [reply(say("Rome"))], { home, cwd });
  const id = / session (\w+)\n$/.exec(io.stderrText())?.[1] ?? "";

  const refused = await sessions(home, cwd, "repair", id);

  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("is not damaged");
});
