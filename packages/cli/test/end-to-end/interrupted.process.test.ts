import { reply } from "@capstan/testing";
import { expect, test } from "vitest";
import { openDesk } from "./desk.ts";
import { processEnded } from "./process-ended.ts";
import { messages } from "./protocols.ts";
import { answer, bash, fix, look, plan, prompt, tell, watchCommand } from "./task.ts";

const rules = ["--allow", "edit", "--allow", `bash(${watchCommand})`];

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  "%s ends the command that runs with all its children, and exits with %i",
  async (signal, code) => {
    // A shell, a subshell and a program that has left the group.
    const script = `(${watchCommand} & setsid ${watchCommand} & wait)`;
    const desk = await openDesk(messages, [plan, bash(script)]);
    const command = desk.capstan("--allow", "bash", prompt);
    const pids = (await desk.written("watch.log", 2)).trim().split("\n").map(Number);

    command.child.kill(signal);
    const { exitCode } = await command.ended;

    expect(exitCode).toBe(code);
    expect(command.stderr()).toMatch(/interrupted\n/);
    await Promise.all(pids.map(processEnded));
  },
);

test("what was interrupted can be gone on with", async () => {
  const desk = await openDesk(messages, [plan, bash(watchCommand), reply(look, fix), tell]);
  const command = desk.capstan(...rules, prompt);
  await desk.written("watch.log");
  command.child.kill("SIGINT");
  await command.ended;

  const next = desk.capstan("--continue", ...rules, "--", "Do not watch it. Only fix it.");
  const { exitCode } = await next.ended;

  expect(exitCode).toBe(0);
  expect(next.stdout()).toContain(`${answer}\n`);
  expect(await desk.read("src/basket.js")).toContain("let i = 0;");
  expect(desk.service.refusals).toEqual([]);
});

test("a command that is killed takes those that it runs with it", async () => {
  const desk = await openDesk(messages, [plan, bash(watchCommand)]);
  const command = desk.capstan(...rules, prompt);
  const pid = Number(await desk.written("watch.log"));

  command.child.kill("SIGKILL");

  await processEnded(pid);
});
