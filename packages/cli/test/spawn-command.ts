/** Real processes of the command. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..");

export const files = {
  /** The command from its source: it needs no build, and none can be stale. */
  main: join(root, "src/main.ts"),
  bin: join(root, "bin/capstan.js"),
  slowTurn: fileURLToPath(new URL("./fixtures/slow-turn.ts", import.meta.url)),
  planTurn: fileURLToPath(new URL("./fixtures/plan-turn.ts", import.meta.url)),
  crashing: fileURLToPath(new URL("./fixtures/crashing.ts", import.meta.url)),
  bashTurn: fileURLToPath(new URL("./fixtures/bash-turn.ts", import.meta.url)),
};

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves once stdout or stderr contains the text. */
  seen(text: string): Promise<void>;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
}

export interface SpawnOptions {
  readonly cwd?: string;
  /** Default: an empty one, with no sessions in it. */
  readonly home?: string;
  /** Besides those of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Piped input. Default: none is possible. */
  readonly input?: string;
}

export function spawnCommand(
  file: string,
  args: readonly string[],
  options: SpawnOptions = {},
): RunningCommand {
  const child = spawn(process.execPath, [...conditionsOf(file), file, ...args], {
    cwd: options.cwd,
    env: environmentOf(options),
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin?.end(options.input);
  const { stdout, stderr } = child;
  const output = { stdout: "", stderr: "" };
  stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal }));
  return {
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    seen: async (text) => {
      while (!`${output.stdout}${output.stderr}`.includes(text)) {
        const gone = ended.then(() => {
          throw new Error(`It ended without "${text}": ${output.stdout}${output.stderr}`);
        });
        const { promise: told, resolve } = Promise.withResolvers<void>();
        stdout?.once("data", () => resolve());
        stderr?.once("data", () => resolve());
        await Promise.race([told, gone]);
      }
    },
    ended,
  };
}

/** The words of a shell that run the command. */
export function shellWords(file: string, args: readonly string[]): string {
  const words = [process.execPath, ...conditionsOf(file), file, ...args];
  return words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
}

/** Nothing of the user who runs the tests: no files, no keys. Node's compile cache is the tests' own. */
export function environmentOf({ home = temporaryHome(), env }: SpawnOptions): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const folders = { HOME: home, XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined };
  return { PATH, TMPDIR, NODE_COMPILE_CACHE, ...folders, ...env };
}

/** An empty folder that is gone after the test. */
export function temporaryHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function conditionsOf(file: string): readonly string[] {
  return file === files.bin ? [] : ["--conditions=@capstan/source"];
}
