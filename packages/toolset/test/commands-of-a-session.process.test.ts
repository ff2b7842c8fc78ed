import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent, createSession } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { createToolset } from "@capstan/toolset";
import { isAlive } from "./process-alive.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const command = "sleep 1000 & echo $! > pid; echo up; wait";

async function openSession(input: { command: string; background?: boolean }) {
  const cwd = await temporaryFolder();
  const model = scriptedProvider([callTool("bash", input), say("Done.")]);
  const agent = createAgent({ name: "worker", model, tools: createToolset({ cwd }) });
  const session = createSession({ agent, repository: memoryRepository() });
  // 0 until the command has written the file.
  const pid = async (): Promise<number> =>
    Number(await readFile(join(cwd, "pid"), "utf8").catch(() => ""));
  return { session, pid };
}

test("output is shown while the command runs, and an abort of the turn ends its processes", async () => {
  const { session, pid } = await openSession({ command });
  const seen: string[] = [];

  const turn = session.send("Run it");
  for await (const event of turn) {
    if (event.type !== "tool_execution_delta") continue;
    seen.push(event.delta);
    break;
  }
  const child = await pid();
  const before = isAlive(child);
  turn.abort("enough");
  const { status } = await turn.response;

  expect([seen, before, status]).toEqual([["up\n"], true, "aborted"]);
  await expect.poll(() => isAlive(child)).toBe(false);
  await session.close();
});

test("a job outlives its turn, and ends when the session is closed", async () => {
  const { session, pid } = await openSession({ command, background: true });

  const { status } = await session.send("Run it").response;
  await expect.poll(pid).toBeGreaterThan(0);
  const child = await pid();
  const before = isAlive(child);
  await session.close();

  expect([status, before]).toEqual(["completed", true]);
  await expect.poll(() => isAlive(child)).toBe(false);
});
