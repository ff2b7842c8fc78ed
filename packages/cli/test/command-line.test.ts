import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../src/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";

test("--help and -h show the help on stdout", async () => {
  const [long, short] = [memoryIo(), memoryIo()];

  const exitCodes = [await run(["--help"], long), await run(["-h", "anything"], short)];

  expect(exitCodes).toEqual([0, 0]);
  expect(long.stdoutText()).toMatch(/^Usage: capstan \[options\] <prompt>\n/);
  expect(short.stdoutText()).toBe(long.stdoutText());
  expect(long.stderrText()).toBe("");
});

test("the help names every option and fits 80 columns", async () => {
  const io = memoryIo();

  await run(["--help"], io);

  const lines = io.stdoutText().split("\n");
  expect(lines.filter((line) => line.includes("--")).map((line) => line.trim())).toEqual([
    "--cwd <folder>    work in this folder instead of the current one",
    "-h, --help            show this help",
    "--version         show the version",
    'capstan --cwd src "Read index.ts"',
    'capstan -- "-h is short for what?"',
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
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

test("an unknown option is refused, with a hint where one is near", async () => {
  const mistakes = [
    "--hlep",
    "--verion",
    "--cdw=src",
    "-v",
    "--vers",
    "--model",
    "-x",
    "--no-help",
  ];
  const ios = mistakes.map(() => memoryIo());

  const exitCodes = await Promise.all(
    mistakes.map((mistake, index) => run([mistake, "prompt"], ios[index] ?? memoryIo())),
  );

  expect(exitCodes).toEqual(mistakes.map(() => 2));
  expect(ios.map((io) => io.screen().split("\n")[0])).toEqual([
    "capstan: There is no option --hlep. Did you mean --help?",
    "capstan: There is no option --verion. Did you mean --version?",
    "capstan: There is no option --cdw. Did you mean --cwd?",
    "capstan: There is no option -v. Did you mean --version?",
    "capstan: There is no option --vers. Did you mean --version?",
    "capstan: There is no option --model.",
    "capstan: There is no option -x.",
    "capstan: There is no option --no-help.",
  ]);
  expect(ios[0]?.stderrText()).toMatch(/\nTry: capstan --help\n$/);
});

test("options with a missing, an unwanted or an ambiguous value are refused", async () => {
  const mistakes = [["--cwd"], ["--help=yes"], ["--cwd", "--help"]];
  const ios = mistakes.map(() => memoryIo());

  const exitCodes = await Promise.all(
    mistakes.map((argv, index) => run(argv, ios[index] ?? memoryIo())),
  );

  expect(exitCodes).toEqual([2, 2, 2]);
  expect(ios.map((io) => io.stderrText().split("\n")[0])).toEqual([
    "capstan: Option '--cwd <value>' argument missing.",
    "capstan: Option '-h, --help' does not take an argument.",
    "capstan: Option '--cwd' argument is ambiguous.",
  ]);
});

test("after two dashes everything is the prompt", async () => {
  const io = memoryIo({ cwd: await temporaryFolder() });

  const exitCode = await run(["--", "--hlep", "folder"], io);

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toContain("This folder is empty.");
});

test("--cwd is taken from the current folder and is where the tools work", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "only.txt"), "");
  const io = memoryIo({ cwd: join(cwd, "..") });

  const exitCode = await run(["--cwd", cwd.split("/").at(-1) ?? "", "Which", "files?"], io);

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toContain("This folder holds 1 file: only.txt.");
});

test("a --cwd that is no folder is refused before anything runs", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "file"), "");
  const ios = ["nowhere", "file", ""].map((folder) => ({ folder, io: memoryIo({ cwd }) }));

  const exitCodes = await Promise.all(
    ios.map(({ folder, io }) => run(["--cwd", folder, "prompt"], io)),
  );

  expect(exitCodes).toEqual([2, 2, 2]);
  expect(ios.map(({ io }) => io.screen().split("\n")[0])).toEqual([
    `capstan: There is no folder ${cwd}/nowhere to work in.`,
    `capstan: There is no folder ${cwd}/file to work in.`,
    'capstan: There is no folder "" to work in.',
  ]);
});
