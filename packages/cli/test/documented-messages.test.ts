/** Messages that the pages show are printed in these words. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { allBlocks } from "../../../test/documented/shell-blocks.ts";
import { describeAsking } from "../src/permissions/decision.ts";
import { decide } from "../src/permissions/permissions.ts";
import { parseRule, withLayer } from "../src/permissions/rule.ts";
import { run } from "../src/process/run.ts";
import { memoryIo } from "./memory-io.ts";
import { allTools } from "./permissions/deciding.ts";
import { runScripted } from "./scripted-io.ts";

/** The lines of the block on the page that begins so. */
function shownOn(page: string, start: string): readonly string[] {
  const block = allBlocks().find((one) => one.page === page && one.text.startsWith(start));
  return block?.text.trimEnd().split("\n") ?? [];
}

const bash = (command: string) => reply(callTool("bash", { command }));

test.each([
  ["docs/permissions.md", "refused: bash", "npm test 2>&1 | tail -5"],
  ["docs/start/in-a-terminal.md", "capstan: refused: bash", "npm test"],
])("%s shows how a refused call is reported", async (page, start, command) => {
  const [shown = "nothing is shown"] = shownOn(page, start);

  const { io } = await runScripted(["prompt"], [bash(command), reply(say("done"))]);

  expect(io.stderrText()).toContain(`${shown}\n`);
});

test("docs/configuration.md shows how mistakes in a file are reported", async () => {
  const shown = shownOn("docs/configuration.md", "/home/me/");
  const { home } = memoryIo();
  const folder = join(home, ".config/capstan");
  await mkdir(folder, { recursive: true });
  const file = [
    "{",
    '  "model": "openai/gpt-5.5",',
    '  "maxSteps": 5,',
    '  "thinkng": "high",',
    '  "maxCost": 0',
    "}",
  ];
  await writeFile(join(folder, "config.json"), file.join("\n"));
  const io = memoryIo({ home });

  const exitCode = await run(["prompt"], io);

  expect(exitCode).toBe(2);
  expect(shown).toHaveLength(2);
  expect(io.stderrText()).toBe(`${shown.join("\n").replaceAll("/home/me", home)}\n`);
});

test("docs/permissions.md shows why a call waits", () => {
  const allow = ["bash(npm test)"].map(parseRule);
  const ask = withLayer([parseRule("bash(git push *)")], "project");
  const around = { permissions: { allow, ask, deny: [] }, cwd: "/", tools: allTools };
  const reasons = ["npm test | tail -5", "git push"].map((command) => {
    const decision = decide({ toolName: "bash", input: { command } }, around);
    return decision.type === "ask" ? describeAsking(decision) : decision.type;
  });

  expect(reasons).toEqual(shownOn("docs/permissions.md", "tail -5 is not allowed"));
});
