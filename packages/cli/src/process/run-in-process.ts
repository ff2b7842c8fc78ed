/** Connects `run` with this process: its streams, signals and exit. */
import { homedir, userInfo } from "node:os";
import type { WriteStream } from "node:tty";
import type { ExitCode } from "../commands/exit-code.ts";
import { signalCodes } from "../commands/exit-code.ts";
import type { Io, Output } from "./io.ts";
import { processInput } from "./process-input.ts";
import { processTerminal } from "./process-terminal.ts";
import { run } from "./run.ts";

/**
 * Runs the command and exits the process with its exit code. The first signal aborts the turn, the second one exits at once. If a reader
 * closes stdout early (`| head`), the turn ends quietly, with exit code 0.
 */
export async function runInProcess(
  argv: readonly string[],
  overrides: Partial<Io> = {},
): Promise<never> {
  const interruption = new AbortController();
  let interruptedCode: ExitCode = 130;
  for (const [name, code] of Object.entries(signalCodes)) {
    process.on(name, () => {
      if (interruption.signal.aborted) process.exit(code);
      interruptedCode = code;
      interruption.abort(new Error(`interrupted by ${name}`));
    });
  }
  let writeFailure: NodeJS.ErrnoException | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    writeFailure ??= error;
    interruption.abort(error);
  });
  // The awaited work may happen in another process: this one must not exit because its event loop is empty.
  setInterval(() => {}, longestTimerMs);
  // No stream is left to report to.
  process.stderr.on("error", () => {});

  const isWritable = (): boolean => writeFailure === undefined;
  const terminal = processTerminal();
  const exitCode = await run(argv, {
    stdin: processInput(),
    stdout: toOutput(process.stdout, isWritable),
    stderr: toOutput(process.stderr, isWritable),
    ...(terminal && { terminal }),
    env: process.env,
    platform: process.platform,
    // An empty HOME counts as unset: sessions would otherwise be stored in the working folder.
    home: homedir() || userInfo().homedir,
    cwd: currentFolder(),
    signal: interruption.signal,
    interruptedCode: () => interruptedCode,
    clock,
    ...overrides,
  });

  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  if (writeFailure === undefined) process.exit(exitCode);
  if (writeFailure.code === "EPIPE") process.exit(0);
  await flush(process.stderr, `capstan: cannot write the output: ${writeFailure.message}\n`);
  process.exit(1);
}

interface Stream {
  /** Node's types declare it as always present; on a pipe it is missing. */
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

function toOutput(stream: Stream, isWritable: () => boolean): Output {
  return {
    isTTY: stream.isTTY === true,
    write: (text) => {
      if (isWritable()) stream.write(text);
    },
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (thrown) {
    // The folder was removed while the shell was in it. Its name is enough to report that.
    const { PWD } = process.env;
    if (PWD === undefined) throw thrown;
    return PWD;
  }
}

const longestTimerMs = 2 ** 31 - 1;

/** Same as core's clock, which help and version need not load. */
const clock: Io["clock"] = {
  now: Date.now,
  timer: (ms, fn) => arm(ms, fn, (handle) => handle.ref()),
  idleTimer: (ms, fn) => arm(ms, fn, (handle) => handle.unref()),
  random: Math.random,
};

/** Splits delays longer than Node's maximum into pieces. */
function arm(ms: number, fn: () => void, onArmed: (handle: NodeJS.Timeout) => void): () => void {
  let handle: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const pieceMs = Math.min(leftMs, longestTimerMs);
    handle = setTimeout(() => (leftMs > pieceMs ? wait(leftMs - pieceMs) : fn()), pieceMs);
    onArmed(handle);
  };
  wait(ms);
  return () => clearTimeout(handle);
}

function flush(stream: WriteStream, text = ""): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
