/** Real processes of the command. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..");

export const files = {
  /** The command from its source: it needs no build, and none can be stale. */
  main: join(root, "src/main.ts"),
  bin: join(root, "bin/capstan.js"),
  slowTurn: fileURLToPath(new URL("./fixtures/slow-turn.ts", import.meta.url)),
};

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves once stdout or stderr contains the text. */
  seen(text: string): Promise<void>;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
}

export function spawnCommand(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): RunningCommand {
  const conditions = file === files.bin ? [] : ["--conditions=@capstan/source"];
  const child = spawn(process.execPath, [...conditions, file, ...args], {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal }));
  return {
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    seen: async (text) => {
      while (!`${output.stdout}${output.stderr}`.includes(text)) {
        await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
      }
    },
    ended,
  };
}
