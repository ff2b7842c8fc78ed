/** Programs on a real terminal: `script` of util-linux gives them one, without native code in Node. */
import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";

/** Undefined, or why there are no terminals here. */
export function whyNoPty(): string | undefined {
  const { status, stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return status === 0 && stdout.includes("util-linux")
    ? undefined
    : "there is no `script` of util-linux";
}

export interface Pty {
  readonly startedAt: number;
  /** Bytes that were written so far. */
  bytes(): number;
  write(text: string): void;
  /** Resolves with the time at which the text had appeared after `from` bytes. Fails after a while. */
  seen(text: string): Promise<number>;
  readonly ended: Promise<void>;
  kill(): void;
}

const limitMs = 60_000;

/** Starts Node with these arguments on a terminal of 120 × 40. */
export function openPty(args: readonly string[], env: NodeJS.ProcessEnv): Pty {
  const words = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  const startedAt = performance.now();
  const child: ChildProcess = spawn(
    "script",
    ["-qfec", `stty cols 120 rows 40; exec ${words}`, "/dev/null"],
    { env, stdio: ["pipe", "pipe", "inherit"] },
  );
  let bytes = 0;
  /** The end of the output, in which a text may still be incomplete. */
  let tail = "";
  const waiting = new Set<(text: string) => void>();
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    bytes += Buffer.byteLength(chunk);
    const seen = `${tail}${chunk}`;
    tail = seen.slice(-200);
    for (const look of waiting) look(seen);
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    startedAt,
    bytes: () => bytes,
    write: (text) => void child.stdin?.write(text),
    seen: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`"${text}" did not appear. The end of the output: ${tail}`));
        }, limitMs);
        const look = (output: string): void => {
          if (!output.includes(text)) return;
          waiting.delete(look);
          clearTimeout(timer);
          resolve(performance.now());
        };
        waiting.add(look);
      }),
    ended,
    kill: () => void child.kill("SIGKILL"),
  };
}
