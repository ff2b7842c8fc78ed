/** Connects `run` with this process: its streams, its signals, its end. */
import { homedir, userInfo } from "node:os";
import type { WriteStream } from "node:tty";
import type { ExitCode, Io, Output } from "./io.ts";
import { processInput } from "./process-input.ts";
import { run } from "./run.ts";

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Runs the command and ends the process with its exit code. The first signal aborts the turn, the second one ends the
 * process at once. A reader of stdout that has seen enough (`| head`) ends the turn quietly, with exit code 0.
 */
export async function runInProcess(
  argv: readonly string[],
  overrides: Partial<Io> = {},
): Promise<never> {
  const interruption = new AbortController();
  let interruptedCode: ExitCode = 130;
  for (const [name, code] of Object.entries(exitCodes)) {
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
  // What is waited for may happen in another process: that nothing is left to do here must not end this one.
  setInterval(() => {}, longestTimerMs);
  // There is nobody left to tell.
  process.stderr.on("error", () => {});

  const isWritable = (): boolean => writeFailure === undefined;
  const exitCode = await run(argv, {
    stdin: processInput(),
    stdout: toOutput(process.stdout, isWritable),
    stderr: toOutput(process.stderr, isWritable),
    env: process.env,
    platform: process.platform,
    // A HOME that is set to nothing is not set: sessions would be kept in the working folder.
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
  await flush(process.stderr, `capstan: the output cannot be written: ${writeFailure.message}\n`);
  process.exit(1);
}

interface Stream {
  /** Node's types say that it is always there; on a pipe it is not. */
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
    // Removed while the shell stood in it. Its name is enough to say so.
    const { PWD } = process.env;
    if (PWD === undefined) throw thrown;
    return PWD;
  }
}

const longestTimerMs = 2 ** 31 - 1;

/** That of core, which help and version need not load. */
const clock: Io["clock"] = {
  now: Date.now,
  timer: (ms, fn) => arm(ms, fn, (handle) => handle.ref()),
  idleTimer: (ms, fn) => arm(ms, fn, (handle) => handle.unref()),
  random: Math.random,
};

/** A longer time than Node takes is waited for in pieces. */
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
