/** Everything the command takes from outside, so that tests can replace it. */
import type { ExitCode } from "../commands/exit-code.ts";
import type { AnyTool, Clock } from "@capstan/core";
import type { Env } from "../config/env.ts";
import type { ChosenModel } from "../model/choose-model.ts";
import type { TerminalDevice } from "../terminal/screen/contracts.ts";

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

export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The user's terminal; undefined if input or output is none. */
  readonly terminal?: TerminalDevice;
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
