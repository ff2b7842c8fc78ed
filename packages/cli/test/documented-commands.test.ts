/** The `capstan` commands of the pages, run in the order of their block. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Block, DocumentedCommand } from "../../../test/documented/shell-blocks.ts";
import {
  allBlocks,
  allCommands,
  commandsIn,
  isShell,
} from "../../../test/documented/shell-blocks.ts";
import { parseCommandLine } from "../src/command-line/parse-command-line.ts";
import { run } from "../src/process/run.ts";
import type { MemoryIo } from "./memory-io.ts";
import { inputOf, memoryIo } from "./memory-io.ts";
import { choosing } from "./scripted-io.ts";

/** Commands that cannot run here, by how they begin, and the tests that run them. Their arguments are still read. */
const runElsewhere: Readonly<Record<string, string>> = {
  "mcp test": "downloads a server: mcp-command.process.test.ts",
  "mcp serve": "runs until its client leaves: mcp-serve.process.test.ts",
  "mcp login": "needs an authorization server: mcp-login.process.test.ts",
  "mcp logout": "needs a login: mcp-login.process.test.ts",
  "sessions release": "needs a session that was set aside: sessions-command.test.ts",
  "sessions abandon": "needs a turn that was cut off: sessions-command.test.ts",
  "sessions repair": "needs a damaged session: sessions-damaged.test.ts",
  serve: "runs until it is interrupted: the last test of this file",
};

/** The id of a session on the pages. */
const shownId = "4k8p";

const isCapstan = ({ words: [first, second] }: DocumentedCommand): boolean =>
  first === "capstan" || (first === "npx" && second === "capstan");

function argumentsOf({ words }: DocumentedCommand): readonly string[] {
  return words.slice(words.indexOf("capstan") + 1);
}

function runsElsewhere(argv: readonly string[]): boolean {
  // Alone it opens a conversation, which the tests in terminal/ hold.
  if (argv.length === 0) return true;
  return Object.keys(runElsewhere).some((start) => `${argv.join(" ")} `.startsWith(`${start} `));
}

const commands = allCommands().filter(isCapstan);
const blocks = allBlocks()
  .filter(isShell)
  .filter((block) => commandsIn(block).some(isCapstan));

/** Project of a reader of the pages, with a file, a picture, and the settings of another program. */
function createUser(): Partial<MemoryIo> & { readonly home: string } {
  const { home } = memoryIo();
  const cwd = join(home, "project");
  mkdirSync(join(cwd, "src"), { recursive: true });
  writeFileSync(join(cwd, "src/main.ts"), "export const answer = 42;\n");
  writeFileSync(
    join(cwd, "claude_desktop_config.json"),
    '{ "mcpServers": { "notes": { "command": "notes-server" } } }',
  );
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  writeFileSync(join(home, "shot.png"), Buffer.from(pixel, "base64"));
  mkdirSync(join(home, ".config/capstan"), { recursive: true });
  writeFileSync(
    join(home, ".config/capstan/config.json"),
    '{ "model": "anthropic/claude-sonnet-5-5" }',
  );
  return { home, cwd, env: { HOME: home, ANTHROPIC_API_KEY: "a-key" } };
}

async function runShown(
  argv: readonly string[],
  changes: Partial<MemoryIo>,
): Promise<{ readonly exitCode: number; readonly io: MemoryIo }> {
  const chooseModel = choosing(scriptedProvider([say("Done."), say("Done.")]));
  const io = memoryIo({ ...(!argv.includes("--offline") && { chooseModel }), ...changes });
  return { exitCode: await run(argv, io), io };
}

test.each(commands.map((command) => [command.block.page, command.text, command] as const))(
  "%s: %s is understood",
  (_page, _text, command) => {
    expect(parseCommandLine(argumentsOf(command))).not.toMatchObject({ type: "mistake" });
  },
);

test.each(blocks.map((block) => [block.page, block.line, block] as const))(
  "the commands of %s, line %d, run as they are shown",
  async (_page, _line, block) => {
    const user = createUser();

    const failed = await failuresOf(block, user);

    expect(failed).toEqual([]);
  },
);

async function failuresOf(
  block: Block,
  user: ReturnType<typeof createUser>,
): Promise<readonly string[]> {
  const failures: string[] = [];
  const toRun = commandsIn(block)
    .filter(isCapstan)
    .map((command) => ({ command, argv: argumentsOf(command) }));
  for (const { command, argv } of toRun.filter((one) => !runsElsewhere(one.argv))) {
    const needsSession = argv.includes(shownId) || argv.includes("--continue");
    const id = needsSession ? await newSession(user) : "";
    const own = argv.map((word) => (word === shownId ? id : word.replace(/^~(?=\/)/, user.home)));
    const stdin = command.isPiped ? { stdin: inputOf(["what was piped in\n"]) } : {};
    const { exitCode, io } = await runShown(own, { ...user, ...stdin });
    if (exitCode !== 0) failures.push(`${command.text}: ${exitCode} ${io.stderrText()}`);
  }
  return failures;
}

/** Returns the id of a new session in the user's folder. */
async function newSession(user: Partial<MemoryIo>): Promise<string> {
  const { io } = await runShown(["--json", "prompt"], user);
  const [first = ""] = io.stdoutText().split("\n");
  return (JSON.parse(first) as { readonly id: string }).id;
}

test.each(
  allCommands()
    .filter(({ words: [first] }) => first === "curl")
    .map((command) => [command.block.page, command] as const),
)("the curl of %s gets an answer of capstan serve", async (_page, { words }) => {
  const controller = new AbortController();
  const listening = Promise.withResolvers<void>();
  const name = /Bearer \$(\w+)/.exec(words.join(" "))?.[1] ?? "";
  const io = memoryIo({
    chooseModel: choosing(scriptedProvider([say("A coat.")])),
    signal: controller.signal,
    env: { CAPSTAN_TOKEN: "0123456789abcdef0123456789abcdef" },
  });
  const write = (text: string): void => {
    io.stderr.write(text);
    if (text.includes("serving")) listening.resolve();
  };
  const ended = run(["serve", "--port", "0"], { ...io, stderr: { isTTY: false, write } });
  onTestFinished(async () => {
    controller.abort();
    await ended;
  });
  await Promise.race([listening.promise, ended]);
  const port = /on http:\/\/127\.0\.0\.1:(\d+)/.exec(io.stderrText())?.[1] ?? "";
  const valuesAfter = (option: string): readonly string[] =>
    words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
  const shown = words.find((word) => word.startsWith("http")) ?? "";

  const headers = valuesAfter("-H").map((header): [string, string] => {
    const [key = "", value = ""] = header.split(": ");
    return [key, value.replace(`$${name}`, io.env["CAPSTAN_TOKEN"] ?? "")];
  });
  const [body = ""] = valuesAfter("-d");
  const response = await fetch(shown.replace(":4711", `:${port}`), {
    method: "POST",
    headers,
    body,
  });

  expect(shown).toContain(":4711/");
  expect(await response.text()).toContain("A coat.");
});
