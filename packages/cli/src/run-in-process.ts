/** Connects `run` with this process: its streams, its signals, its end. */
import type { WriteStream } from "node:tty";
import type { Io, Output } from "./io.ts";
import { run } from "./run.ts";

/**
 * Runs the command and ends the process with its exit code. The first SIGINT aborts the turn, the second one ends the
 * process at once. A reader of stdout that has seen enough (`| head`) ends the turn quietly, with exit code 0.
 */
export async function runInProcess(
  argv: readonly string[],
  overrides: Partial<Io> = {},
): Promise<never> {
  const interruption = new AbortController();
  process.on("SIGINT", () => {
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort(new Error("interrupted by SIGINT"));
  });
  let writeFailure: NodeJS.ErrnoException | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    writeFailure ??= error;
    interruption.abort(error);
  });
  // There is nobody left to tell.
  process.stderr.on("error", () => {});

  const isWritable = (): boolean => writeFailure === undefined;
  const exitCode = await run(argv, {
    stdout: toOutput(process.stdout, isWritable),
    stderr: toOutput(process.stderr, isWritable),
    env: process.env,
    cwd: currentFolder(),
    signal: interruption.signal,
    now: Date.now,
    timer,
    newId,
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

function timer(ms: number, fn: () => void): () => void {
  const handle = setTimeout(fn, Math.min(ms, longestTimerMs));
  return () => clearTimeout(handle);
}

function newId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 12);
}

function flush(stream: WriteStream, text = ""): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
