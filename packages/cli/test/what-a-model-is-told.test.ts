import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@capstan/core";
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import type { ScriptedRun } from "./scripted-io.ts";
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

/** Text of the user messages in the last request. */
function saidIn({ provider }: ScriptedRun): readonly unknown[] {
  const messages = provider.requests.at(-1)?.messages ?? [];
  return messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
}

test("a changed AGENTS.md is told to the model once, and the cached prompt stays", async () => {
  const cwd = await temporaryFolder();
  const path = join(cwd, "AGENTS.md");
  await writeFile(path, "Use tabs.\n");
  const first = await runScripted(["prompt"], [reply(say("ok"))], { cwd });
  const again = { cwd, home: first.io.home };
  await writeFile(path, "Use spaces.\n");

  const second = await runScripted(["-c", "again"], [reply(say("ok"))], again);
  const third = await runScripted(["-c", "more"], [reply(say("ok"))], again);

  const notice = expect.stringContaining(
    `${path} has changed. It now says:\n<instructions>\nUse spaces.\n</instructions>`,
  );
  expect(saidIn(second)).toEqual(["prompt", "again", notice]);
  expect(saidIn(third)).toEqual(["prompt", "again", notice, "more"]);
  const [told, same] = [first, third].map(({ provider }) => provider.requests[0]?.options);
  expect(same?.systemPrompt).toBe(told?.systemPrompt);
  expect(second.io.stderrText()).toContain(`capstan: told the model: ${path} has changed\n`);
  expect(third.io.stderrText()).not.toContain("told the model");
});

test("an AGENTS.md that was removed or added is told, too", async () => {
  const cwd = await temporaryFolder();
  const path = join(cwd, "AGENTS.md");
  const first = await runScripted(["prompt"], [reply(say("ok"))], { cwd });
  const again = { cwd, home: first.io.home };
  await writeFile(path, "Use tabs.\n");
  await runScripted(["-c", "again"], [reply(say("ok"))], again);
  await rm(path);

  const third = await runScripted(["-c", "more"], [reply(say("ok"))], again);

  expect(saidIn(third)).toEqual([
    "prompt",
    "again",
    expect.stringContaining(`${path} is new. It says:\n<instructions>\nUse tabs.`),
    "more",
    expect.stringContaining(`${path} was removed: its instructions no longer apply.`),
  ]);
});

const at = (time: string) => ({ ...systemClock, now: () => Date.parse(time) });

test("a new day is told to the model", async () => {
  const first = await runScripted(["prompt"], [reply(say("ok"))], {
    clock: at("2030-01-01T23:50:00Z"),
  });

  const second = await runScripted(["-c", "again"], [reply(say("ok"))], {
    home: first.io.home,
    clock: at("2030-01-02T00:10:00Z"),
  });

  const { systemPrompt } = second.provider.requests[0]?.options ?? {};
  expect(systemPrompt).toContain("Date: 2030-01-01");
  expect(saidIn(second).at(-1)).toContain("Date: 2030-01-02");
});

test("a fork is told what has changed since", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "AGENTS.md"), "RULE-ONE\n");
  const { io } = await runScripted(["prompt"], [reply(say("ok"))], { cwd });
  await writeFile(join(cwd, "AGENTS.md"), "RULE-TWO\n");

  const forked = await runScripted(["-c", "--fork", "again"], [reply(say("ok"))], {
    cwd,
    home: io.home,
  });

  expect(saidIn(forked).at(-1)).toContain("RULE-TWO");
});

test("another model is told what has changed since, too", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "AGENTS.md"), "RULE-ONE\n");
  const first = await runScripted(["prompt"], [reply(say("ok"))], { cwd });
  await writeFile(join(cwd, "AGENTS.md"), "RULE-TWO\n");

  const second = await runScripted(["-c", "--model", "other/model", "again"], [reply(say("ok"))], {
    home: first.io.home,
    cwd,
  });

  expect(saidIn(second).join("\n")).toContain("RULE-TWO");
});

test("after an hour no cache is warm, and the prompt itself is renewed", async () => {
  const cwd = await temporaryFolder();
  const path = join(cwd, "AGENTS.md");
  await writeFile(path, "RULE-ONE\n");
  const { io } = await runScripted(["prompt"], [reply(say("ok"))], { cwd });
  await writeFile(path, "RULE-TWO\n");
  const later = { ...systemClock, now: () => Date.now() + 3_600_001 };

  const second = await runScripted(["-c", "again"], [reply(say("ok"))], {
    cwd,
    home: io.home,
    clock: later,
  });

  const { systemPrompt } = second.provider.requests[0]?.options ?? {};
  expect(systemPrompt).toContain("RULE-TWO");
  expect(systemPrompt).not.toContain("RULE-ONE");
  expect(saidIn(second)).toEqual(["prompt", "again"]);
});

test("an imported session is told of the folder it was imported into, and of no other", async () => {
  const [from, to] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(from, "AGENTS.md"), "RULE-OLD\n");
  await writeFile(join(to, "AGENTS.md"), "RULE-NEW\n");
  const { io } = await runScripted(["prompt"], [reply(say("ok"))], { cwd: from });
  const id = / session (\w+)\n$/.exec(io.stderrText())?.[1] ?? "";
  const file = join(from, "session.jsonl");
  await run(["sessions", "export", id, "--output", file], memoryIo({ home: io.home, cwd: from }));
  const { home } = memoryIo();
  await run(["sessions", "import", file], memoryIo({ home, cwd: to }));

  const second = await runScripted(["-c", "again"], [reply(say("ok"))], { home, cwd: to });

  const { systemPrompt } = second.provider.requests[0]?.options ?? {};
  expect(systemPrompt).toContain(`Working folder: ${to}\n`);
  expect(systemPrompt).toContain("RULE-NEW");
  expect(JSON.stringify(second.provider.requests)).not.toContain("RULE-OLD");
});

test("instructions of an imported file are left out: no model is told them", async () => {
  const [from, to] = [await temporaryFolder(), await temporaryFolder()];
  const { io } = await runScripted(["prompt"], [reply(say("ok"))], { cwd: from });
  const id = / session (\w+)\n$/.exec(io.stderrText())?.[1] ?? "";
  const file = join(from, "session.jsonl");
  await run(["sessions", "export", id, "--output", file], memoryIo({ home: io.home, cwd: from }));
  const forged = (await readFile(file, "utf8")).replaceAll(
    /"instructions":"(?:[^"\\]|\\.)*"/g,
    '"instructions":"EVIL SYSTEM PROMPT"',
  );
  await writeFile(file, forged);
  const { home } = memoryIo();
  await run(["sessions", "import", file], memoryIo({ home, cwd: to }));

  const second = await runScripted(["-c", "again"], [reply(say("ok"))], { home, cwd: to });

  expect(forged).toContain("EVIL SYSTEM PROMPT");
  expect(second.provider.requests[0]?.options?.systemPrompt).toMatch(/^You are Capstan/);
  expect(JSON.stringify(second.provider.requests)).not.toContain("EVIL");
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
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ content: "1\tfrom there" });
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
