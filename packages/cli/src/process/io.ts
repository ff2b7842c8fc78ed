/** Everything that the command takes from outside, so that a test can give it something else. */
import type { AnyTool, Clock } from "@capstan/core";
import type { Env } from "../config/env.ts";
import type { ChosenModel } from "../model/choose-model.ts";

export interface Output {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** What was piped into the command. */
export interface Input {
  /** `none`: a terminal, a device, or nothing at all. `socket`: a pipe of a parent that may have left it open by accident. */
  readonly kind: "none" | "pipe" | "file" | "socket";
  /** Its bytes, as they come. */
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
  /** The user's own folder. */
  readonly home: string;
  readonly cwd: string;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  /** The exit code of a command that `signal` has ended. */
  readonly interruptedCode: () => ExitCode;
  readonly clock: Clock;
  /** In place of the command's own choice. */
  readonly chooseModel?: () => ChosenModel;
  /** Besides the command's own tools, and in place of those of the same name. */
  readonly tools?: readonly AnyTool[];
}
