/** The `capstan` command as a function: words in, output written, exit code out. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { helpText } from "./help.ts";
import type { ExitCode, Io } from "./io.ts";
import { parseArguments } from "./parse-arguments.ts";
import { toOneLine } from "./terminal-text.ts";

export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const request = parseArguments(argv);
  switch (request.type) {
    case "help":
      io.stdout.write(helpText());
      return 0;
    case "version":
      io.stdout.write(`capstan ${await readVersion()}\n`);
      return 0;
    case "mistake":
      return request.message === undefined
        ? refuse(io, helpText())
        : refuseUse(io, request.message);
    case "turn": {
      const cwd = resolve(io.cwd, request.cwd ?? ".");
      if (request.cwd === "" || !(await isFolder(cwd))) {
        return refuseUse(io, `There is no folder ${request.cwd === "" ? '""' : cwd} to work in.`);
      }
      // Only a turn needs the kernel and all that: help and version are there at once without it.
      const { runPrompt } = await import("./run-prompt.ts");
      return runPrompt(request.prompt, cwd, io);
    }
    default:
      return request satisfies never;
  }
}

function refuseUse(io: Io, message: string): ExitCode {
  return refuse(io, `capstan: ${toOneLine(message)}\nTry: capstan --help\n`);
}

function refuse(io: Io, text: string): ExitCode {
  io.stderr.write(text);
  return 2;
}

async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  // Our own file, one folder up from both src and dist.
  return (JSON.parse(manifest) as { version: string }).version;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Missing, or not to be entered: no folder to work in either way.
    return false;
  }
}
