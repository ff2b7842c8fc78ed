/** Everything the command takes from outside, so that tests can replace it. */
import type { AnyTool, Clock } from "@capstan/core";
import type { Env } from "../config/env.ts";
import type { ChosenModel } from "../model/choose-model.ts";

export interface Output {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** Piped input of the command. */
export interface Input {
  /** `none`: a terminal, a device, or nothing at all. `socket`: a pipe that a parent process may have left open by accident. */
  readonly kind: "none" | "pipe" | "file" | "socket";
  /** Yields bytes as they arrive. */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * 0: done. 1: the turn failed, or the output could not be written. 2: wrong use, or a bad configuration. 3: ended early by a limit. 129, 130 and
 * 143: ended by SIGHUP, SIGINT and SIGTERM.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 129 | 130 | 143;

export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  /** The user's home folder. */
  readonly home: string;
  readonly cwd: string;
  /** Aborts the work in progress. */
  readonly signal: AbortSignal;
  /** Returns the exit code of a command ended by `signal`. */
  readonly interruptedCode: () => ExitCode;
  readonly clock: Clock;
  /** Replaces the command's own choice. */
  readonly chooseModel?: () => ChosenModel;
  /** Additional tools; they replace the command's own tools of the same name. */
  readonly tools?: readonly AnyTool[];
}
