/** Two processes with one login: the refresh token works once, so only one of them may use it. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loginWorld } from "./login-world.ts";

const program = join(import.meta.dirname, "refresh-process.ts");

function start(path: string, url: string): { child: ChildProcess; output: () => string } {
  const args = ["--conditions=@capstan/source", program, path, url];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: unknown) => {
    output += String(chunk);
  });
  return { child, output: () => output };
}

test("processes that refresh at once do so once, and all get the new token", async () => {
  await using world = await loginWorld();
  await world.login();
  const { path, wire, as } = world;
  await world.change({ refreshAt: 0, expiresAt: 0 });
  const started = [1, 2, 3].map(() => start(path, wire.url));
  await Promise.all(started.map(({ child }) => once(child.stdout!, "data")));
  const ended = started.map(({ child }) => once(child, "exit"));
  for (const { child } of started) child.stdin?.write("go\n");
  await Promise.all(ended);

  const token = (await world.stored())?.accessToken;
  expect(started.map(({ output }) => output())).toEqual(started.map(() => `ready\n${token}\n`));
  expect(as.refreshes()).toBe(1);
});
