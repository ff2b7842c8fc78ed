import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { parseCommandLine } from "../src/command-line/parse-command-line.ts";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";

/** Message of a mistake. */
async function refusalOf(argv: readonly string[]): Promise<string> {
  const io = memoryIo();
  const exitCode = await run(argv, io);
  return `${exitCode}: ${io.screen().split("\n")[0]}`;
}

test("--help and -h show the help on stdout, whatever else is there", async () => {
  const [long, short] = [memoryIo(), memoryIo()];

  const exitCodes = [await run(["--help"], long), await run(["-h", "anything"], short)];

  expect(exitCodes).toEqual([0, 0]);
  expect(long.stdoutText()).toMatch(/^Usage: capstan \[options\] <prompt>\n/);
  expect(short.stdoutText()).toBe(long.stdoutText());
  expect(long.stderrText()).toBe("");
});

test.each([
  ["capstan", []],
  ["capstan sessions", ["sessions"]],
  ["capstan models", ["models"]],
  ["capstan serve", ["serve"]],
  ["capstan doctor", ["doctor"]],
  ["capstan init", ["init"]],
  ["capstan config", ["config"]],
  ["capstan completion", ["completion"]],
])("the help of %s fits 80 columns", async (name, words) => {
  const io = memoryIo();

  await run([...words, "--help"], io);

  const lines = io.stdoutText().split("\n");
  expect(lines[0]).toMatch(new RegExp(`^Usage: ${name} `));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("--version shows the version", async () => {
  const io = memoryIo();

  const exitCode = await run(["--version"], io);

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toMatch(/^capstan \d+\.\d+\.\d+\n$/);
});

test("without a prompt the help goes to stderr", async () => {
  const [nothing, blank] = [memoryIo(), memoryIo()];

  const exitCodes = [await run([], nothing), await run([" ", ""], blank)];

  expect(exitCodes).toEqual([2, 2]);
  expect(nothing.stderrText()).toMatch(/^Usage: capstan/);
  expect(blank.screen()).toBe(nothing.stderrText());
});

test.each([
  ["--hlep", " Did you mean --help?"],
  ["--verion", " Did you mean --version?"],
  ["--cdw=src", " Did you mean --cwd?"],
  ["-v", " Did you mean --version?"],
  ["--max", " Did you mean --max-cost?"],
  ["--models", " Did you mean --model?"],
  ["-x", ""],
  ["--no-help", ""],
])("the unknown option %s is refused, with a hint where one is near", async (word, hint) => {
  const refusal = await refusalOf([word, "prompt"]);

  expect(refusal).toBe(`2: capstan: Unknown option ${word.split("=")[0]}.${hint}`);
});

test.each([
  [["--cwd"], "--cwd needs a value: --cwd <folder>."],
  [["--cwd", "--help"], "--cwd needs a value: --cwd <folder>."],
  [["--json=yes", "prompt"], "--json takes no value."],
  [["--model", "a", "--model", "b", "prompt"], "--model is given twice: use it once."],
  [["-p", "a", "b"], "Two prompts given, one with --prompt and one without: use one of them."],
  [["-p", " "], "The prompt is empty: use -p <text>."],
  [["-c", "-r", "x"], "--continue and --resume name different sessions: use one of them."],
  [["--fork", "prompt"], "--fork needs a session to copy"],
  [["--offline", "--model", "m", "prompt"], "--offline and --model exclude each other"],
  [["--fullscreen", "--screen-reader"], "--fullscreen and --screen-reader exclude each other"],
  [["--port", "80", "prompt"], "--port does not apply to a prompt, only to serve, mcp."],
  [["sessions", "--fork"], "--fork does not apply to sessions, only to a prompt."],
  [["sessions", "show", "a", "--all"], "--all does not apply to sessions show"],
  [["sessions", "shwo", "a"], 'Unknown command "sessions shwo". Did you mean show?'],
  [["sessions", "show"], "Usage: capstan sessions show <id>"],
  [["sessions", "export", "a", "b"], "Usage: capstan sessions export <id>"],
  [["sessions", "delete"], "Usage: capstan sessions delete <id>..."],
  [
    ["sessions", "export", "a", "--format", "xml"],
    '--format must be jsonl or markdown, not "xml".',
  ],
  [["serve", "--port", "70000"], '--port must be a number from 0 to 65535, not "70000".'],
  [["serve", "dinner"], 'capstan serve takes no arguments, but got "dinner".'],
])("%j is wrong use", async (argv, sentence) => {
  const refusal = await refusalOf(argv);

  expect(refusal).toMatch(/^2: capstan: /);
  expect(refusal.slice("2: capstan: ".length)).toContain(sentence);
});

test("a mistake points to the help of its command", async () => {
  const [prompt, command] = [memoryIo(), memoryIo()];

  await run(["--hlep"], prompt);
  await run(["serve", "dinner"], command);

  expect(prompt.stderrText()).toMatch(/\nTry: capstan --help\n$/);
  expect(command.stderrText()).toMatch(/\nTry: capstan serve --help\n$/);
});

test.each([
  [["sessions"], { type: "sessions", action: { verb: "list", isAll: false } }],
  [["--", "sessions"], { type: "turn", prompt: "sessions" }],
  [["-p", "sessions"], { type: "turn", prompt: "sessions" }],
  [["--", "--hlep", "me"], { type: "turn", prompt: "--hlep me" }],
  [["--prompt=-h is what?"], { type: "turn", prompt: "-h is what?" }],
  [["two", "words"], { type: "turn", prompt: "two words", session: { type: "new" } }],
  [["-"], { type: "turn", prompt: "-" }],
  [["--continue"], { type: "turn", prompt: undefined, session: { type: "newest", isFork: false } }],
  [["-r", "ab", "go on"], { prompt: "go on", session: { type: "byId", id: "ab", isFork: false } }],
  [["--resume=ab", "--fork"], { session: { type: "byId", id: "ab", isFork: true } }],
  [["--resume"], { session: { type: "byId", id: undefined, isFork: false } }],
  [["--resume", "--json"], { isJson: true, session: { type: "byId", id: undefined } }],
  [["--allow", "a", "--allow=b", "x"], { flags: { allow: ["a", "b"] } }],
  [["models", "claude", "opus"], { type: "models", filter: "claude opus" }],
  [["serve"], { type: "serve", port: 4711, host: "127.0.0.1" }],
  [["sessions", "release", "a"], { action: { verb: "release", id: "a" } }],
  [["sessions", "abandon", "a"], { action: { verb: "abandon", id: "a" } }],
  [["sessions", "repair", "a"], { action: { verb: "repair", id: "a" } }],
  [["sessions", "delete", "a", "b"], { action: { verb: "delete", ids: ["a", "b"] } }],
])("%j asks for the right thing", (argv, request) => {
  expect(parseCommandLine(argv)).toMatchObject(request);
});

test("--cwd is taken from the current folder and is where the tools work", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "only.txt"), "");
  const io = memoryIo({ cwd: join(cwd, "..") });

  const exitCode = await run(["--offline", "--cwd", basename(cwd), "Which", "files?"], io);

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toContain("This folder contains 1 file: only.txt.");
});

test("a --cwd that is no folder is refused before anything runs", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "file"), "");
  const ios = ["nowhere", "file", ""].map((folder) => ({ folder, io: memoryIo({ cwd }) }));

  const exitCodes = await Promise.all(
    ios.map(({ folder, io }) => run([`--cwd=${folder}`, "prompt"], io)),
  );

  expect(exitCodes).toEqual([2, 2, 2]);
  expect(ios.map(({ io }) => io.screen().split("\n")[0])).toEqual([
    `capstan: Working folder not found: ${cwd}/nowhere.`,
    `capstan: Working folder not found: ${cwd}/file.`,
    'capstan: Working folder not found: "".',
  ]);
});

test.each([
  [["help"], "Usage: capstan [options] <prompt>"],
  [["help", "sessions"], "Usage: capstan sessions [command] [options]"],
])("capstan %j shows the help", async (argv, first) => {
  const io = memoryIo();

  const exitCode = await run(argv, io);

  expect(exitCode).toBe(0);
  expect(io.stdoutText().split("\n")[0]).toBe(first);
});

test.each([
  [["sesions"], "sessions"],
  [["session", "list"], "sessions"],
  [["Doctor"], "doctor"],
  [["dcotor"], "doctor"],
  [["hlep"], "help"],
])("%j is a misspelled command and no prompt", async (argv, meant) => {
  expect(await refusalOf(argv)).toBe(
    `2: capstan: Unknown command "${argv[0]}". Did you mean ${meant}? Put two dashes before a prompt: capstan -- "${argv[0]} …".`,
  );
});

test.each([
  [["help", "me", "with", "this"]],
  [["help me"]],
  [["model the data as a tree"]],
  [["server", "down?"]],
  [["--", "sesions"]],
  [["go"]],
  [["Hello"]],
  [["hello"]],
])("%j is a prompt", (argv) => {
  expect(parseCommandLine(argv)).toMatchObject({ type: "turn" });
});

test.each([
  [["--drop", "x"], "--drop needs a session with an unfinished turn"],
  [["-c", "--no-session", "x"], "--no-session stores nothing"],
])("%j is refused", async (argv, why) => {
  expect(await refusalOf(argv)).toContain(`2: capstan: ${why}`);
});
