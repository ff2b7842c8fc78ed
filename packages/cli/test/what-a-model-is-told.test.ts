import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { runScripted } from "./scripted-io.ts";

test("the instructions name folder, platform and day, and end with AGENTS.md", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "AGENTS.md"), "Use tabs.\n");

  const { provider } = await runScripted(["prompt"], [reply(say("ok"))], { cwd });

  const { systemPrompt } = provider.requests[0]?.options ?? {};
  expect(systemPrompt).toContain(
    `Working folder: ${cwd}\nProject: ${cwd}\nPlatform: linux\nDate: 20`,
  );
  expect(systemPrompt).toMatch(
    /\n\nContents of .*AGENTS\.md:\n<instructions>\nUse tabs\.\n<\/instructions>$/,
  );
});

test("they stay the same for a session, whatever becomes of AGENTS.md", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "AGENTS.md"), "Use tabs.\n");
  const first = await runScripted(["prompt"], [reply(say("ok"))], { cwd });
  await writeFile(join(cwd, "AGENTS.md"), "Use spaces.\n");

  const second = await runScripted(["-c", "again"], [reply(say("ok"))], {
    cwd,
    home: first.io.home,
  });

  const [told, again] = [first, second].map(({ provider }) => provider.requests[0]?.options);
  expect(told?.systemPrompt).toContain("Use tabs.");
  expect(again?.systemPrompt).toBe(told?.systemPrompt);
});

test("settings of the user give it more: other folders, and fetch", async () => {
  const [cwd, other] = [await temporaryFolder(), await temporaryFolder()];
  const { home } = memoryIo();
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  const settings = { roots: [other], tools: { fetch: true } };
  await writeFile(join(home, ".config/capstan/config.json"), JSON.stringify(settings));
  await writeFile(join(other, "a.txt"), "from there");

  const { provider } = await runScripted(
    ["prompt"],
    [reply(callTool("read", { path: join(other, "a.txt") })), reply(say("ok"))],
    { home, cwd },
  );

  expect(provider.requests[0]?.tools).toContain("fetch");
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ content: "from there" });
});

test("what was left out of the settings is said before anything else", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "capstan.json"), '{ "permissions": { "allow": ["write"] } }');

  const { io } = await runScripted(["prompt"], [reply(say("ok"))], { cwd });

  expect(io.stderrText()).toMatch(/^capstan: .*capstan\.json.*--trust/);
});

test("mistakes in a file are reported line by line, each with its position first", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "capstan.json"), '{ "thinkng": 1,\n  "maxSteps": 0 }');

  const { io, exitCode } = await runScripted(["prompt"], [], { cwd });

  const lines = io.stderrText().trimEnd().split("\n");
  expect(exitCode).toBe(2);
  expect(lines.map((line) => line.replace(/: .*/, ""))).toEqual([
    `${cwd}/capstan.json:1:3`,
    `${cwd}/capstan.json:2:15`,
  ]);
});
