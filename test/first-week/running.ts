/** Programs of this folder as processes, each test's in an empty folder. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "node:test";

/** A program under way. */
interface Running {
  /** Resolves once the program has printed the text. */
  readonly printed: (text: string) => Promise<void>;
  /** Kills the program without a warning; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  readonly ended: Promise<Ended>;
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Folder {
  readonly start: (program: string, ...words: readonly string[]) => Running;
  /** Runs the program to its end: it must succeed and print nothing to stderr. Returns the lines that it printed. */
  readonly run: (program: string, ...words: readonly string[]) => Promise<string[]>;
  /** Runs the test files of this folder that the filter names. */
  readonly runVitest: (filter: string) => Promise<Ended>;
  /** Returns the lines of a file that a program wrote. */
  readonly lines: (file: string) => string[];
}

/** Whether the programs read the sources, as these tests do. */
const conditions = process.execArgv.filter((argument) => argument.startsWith("--conditions"));

/** An empty folder for the programs of one test. */
export function emptyFolder(
  context: TestContext,
  env: Readonly<Record<string, string>> = {},
): Folder {
  const cwd = mkdtempSync(join(tmpdir(), "capstan-first-week-"));
  context.after(() => rmSync(cwd, { recursive: true, force: true }));

  const start: Folder["start"] = (program, ...words) => {
    const args = [...conditions, resolve(import.meta.dirname, program), ...words];
    // A test that runs tests: they must not report to this one.
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = spawn(process.execPath, args, { cwd, env: { ...inherited, ...env } });
    context.after(() => child.kill("SIGKILL"));
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const ended = once(child, "close").then((): Ended => {
      const { exitCode: code, signalCode: signal } = child;
      return { code, signal, stdout, stderr };
    });
    let isOver = false;
    child.once("close", () => (isOver = true));
    return {
      ended,
      async printed(text) {
        while (!stdout.includes(text)) {
          if (isOver) assert.fail(`it ended before it printed ${text}: ${stdout}${stderr}`);
          await Promise.race([once(child.stdout, "data"), ended]);
        }
      },
      async kill() {
        child.kill("SIGKILL");
        assert.equal((await ended).signal, "SIGKILL");
      },
    };
  };

  return {
    start,
    async run(program, ...words) {
      const { code, stdout, stderr } = await start(program, ...words).ended;
      assert.equal(stderr, "");
      assert.equal(code, 0, stdout);
      return toLines(stdout);
    },
    runVitest(filter) {
      const vitest = dirname(fileURLToPath(import.meta.resolve("vitest/package.json")));
      const root = ["--root", import.meta.dirname];
      return start(join(vitest, "vitest.mjs"), "run", ...root, "--no-color", filter).ended;
    },
    lines: (file) => toLines(readFileSync(join(cwd, file), "utf8")),
  };
}

export function toLines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
