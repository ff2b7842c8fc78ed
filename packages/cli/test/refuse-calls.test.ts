import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolMessage } from "@capstan/kernel";
import type { ScriptedProvider } from "@capstan/testing";
import { callTool, remoteTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { jsonLines, runScripted } from "./scripted-io.ts";

function resultsIn(provider: ScriptedProvider): readonly (readonly [boolean, unknown])[] {
  const messages = provider.requests.at(-1)?.messages ?? [];
  const results = messages.filter((message): message is ToolMessage => message.role === "tool");
  return results.map(({ isError, content }) => [isError, content]);
}

const touch = (path: string) => callTool("bash", { command: `touch ${path}` });

test("a call that is not allowed is refused, reported with the rule that would allow it, and the turn continues", async () => {
  const cwd = await temporaryFolder();

  const { io, exitCode, provider } = await runScripted(
    ["prompt"],
    [reply(touch("made.txt")), reply(say("so be it"))],
    { cwd },
  );

  expect(exitCode).toBe(4);
  expect(io.stdoutText()).toBe("so be it\n");
  expect(io.stderrText().match(/touch made\.txt/g)).toHaveLength(2);
  expect(io.stderrText()).not.toContain("Denied");
  expect(io.stderrText()).toContain(
    "capstan: refused: bash touch made.txt (allow it with --allow 'bash(touch made.txt)')\n",
  );
  expect(resultsIn(provider)).toEqual([
    [false, expect.stringContaining("The user has not allowed this call")],
  ]);
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
});

test("--allow lets a call run that fits, and only that", async () => {
  const cwd = await temporaryFolder();

  const { io } = await runScripted(
    ["--allow", "bash(touch a.txt)", "prompt"],
    [reply(touch("a.txt"), touch("b.txt")), reply(say("done"))],
    { cwd },
  );

  expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  expect(existsSync(join(cwd, "b.txt"))).toBe(false);
  expect(io.stderrText()).toContain("refused: bash touch b.txt");
});

test.each([
  ["deny", "denied by the rule bash(touch *), in the user's settings"],
  [
    "ask",
    "approval required by the rule bash(touch *), in the user's settings, and no user can be asked",
  ],
])("a rule of the user to %s goes before all that is allowed", async (kind, why) => {
  const { home } = memoryIo();
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  const config = { permissions: { [kind]: ["bash(touch *)"] } };
  await writeFile(join(home, ".config/capstan/config.json"), JSON.stringify(config));

  const { io } = await runScripted(
    ["--allow", "*", "prompt"],
    [reply(touch("a.txt")), reply(say("done"))],
    { home },
  );

  expect(existsSync(join(home, "a.txt"))).toBe(false);
  expect(io.stderrText()).toContain(`capstan: refused: bash touch a.txt (${why})\n`);
});

test("the model is told which part of a command is not allowed, and which would run alone", async () => {
  const { io, provider } = await runScripted(
    ["--allow", "bash(npm test)", "prompt"],
    [reply(callTool("bash", { command: "npm test 2>&1 | tail -5" })), reply(say("done"))],
  );

  expect(io.stderrText()).toContain("(allow it with --allow 'bash(tail -5)')\n");
  expect(resultsIn(provider)).toEqual([
    [
      false,
      expect.stringContaining(
        "Not allowed in it: `tail -5`. Allowed, and would run if called alone: `npm test 2>&1`.",
      ),
    ],
  ]);
});

test("a command that rules do not read is refused with the reason, and not with a rule for all commands", async () => {
  const { io } = await runScripted(
    ["--allow", "bash(echo *)", "prompt"],
    [reply(callTool("bash", { command: "echo `date`" })), reply(say("done"))],
  );

  expect(io.stderrText()).toContain(
    "(no rule with a pattern can allow it: The command has a command substitution, which rules do not read)\n",
  );
});

test("--deny goes before --allow", async () => {
  const cwd = await temporaryFolder();

  const { io } = await runScripted(
    ["--allow", "bash", "--deny", "bash(touch b.txt)", "prompt"],
    [reply(touch("a.txt"), touch("b.txt")), reply(say("done"))],
    { cwd },
  );

  expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  expect(existsSync(join(cwd, "b.txt"))).toBe(false);
  expect(io.stderrText()).toContain(
    "refused: bash touch b.txt (denied by the rule bash(touch b.txt), on the command line)",
  );
});

test("rules for edits and for git do not add up to any code: the settings of git are protected", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, ".git"));
  await writeFile(join(cwd, ".git/config"), "[core]\n");
  const evil = callTool("edit", {
    path: ".git/config",
    edits: [{ old: "[core]", new: "[core]\n\tfsmonitor = touch PWNED" }],
  });

  const { io } = await runScripted(
    ["--allow", "edit(**)", "--allow", "bash(git status)", "prompt"],
    [reply(evil), reply(say("done"))],
    { cwd },
  );

  expect(await readFile(join(cwd, ".git/config"), "utf8")).toBe("[core]\n");
  expect(io.stderrText()).toContain("(allow it with --allow 'edit(.git/config)')");
});

test("a call of a client-side tool is answered, and the turn continues", async () => {
  const { io, exitCode, provider } = await runScripted(
    ["--allow", "*", "prompt"],
    [reply(callTool("pick_file", {})), reply(say("done"))],
    { tools: [remoteTool({ name: "pick_file" })] },
  );

  expect(exitCode).toBe(0);
  expect(resultsIn(provider)).toEqual([[true, expect.stringContaining("is not connected")]]);
  expect(io.stderrText()).toContain(
    "capstan: refused: pick_file (the program that provides this tool",
  );
});

test("with --json the refusal is among the events, and the note stays on stderr", async () => {
  const { io } = await runScripted(
    ["--json", "prompt"],
    [reply(touch("made.txt")), reply(say("so be it"))],
  );

  const lines = jsonLines(io);
  expect(lines.map(({ type }) => type)).toContain("awaiting_tool_execution");
  expect(lines.at(-1)).toMatchObject({ type: "result", text: "so be it", exitCode: 4 });
  expect(lines.at(-1)?.["refusals"]).toEqual([
    {
      toolCallId: expect.any(String),
      toolName: "bash",
      input: { command: "touch made.txt" },
      reason: expect.stringContaining("The user has not allowed this call"),
    },
  ]);
  expect(io.stderrText()).toContain("capstan: refused: bash touch made.txt");
});

test("a call that a rule denies counts as refused: exit code 4, and --json lists it", async () => {
  const cwd = await temporaryFolder();
  const options = ["--deny", "bash(touch *)", "--allow", "bash", "--json", "prompt"];

  const { io, exitCode } = await runScripted(
    options,
    [reply(touch("made.txt")), reply(say("so be it"))],
    { cwd },
  );

  expect(exitCode).toBe(4);
  expect(jsonLines(io).at(-1)).toMatchObject({
    refusals: [{ toolName: "bash", reason: expect.stringContaining("forbids this call") }],
  });
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
});
