/** Everything that the command takes from outside, so that a test can give it something else. */
import type { Timer, ToolContract } from "@capstan/kernel";
import type { ChosenProvider } from "./choose-provider.ts";

export interface Output {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** 0: done. 1: the turn failed. 2: wrong use. 130: interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Ends the turn under way. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly timer: Timer;
  readonly newId: () => string;
  /** In place of the command's own choice. */
  readonly chooseProvider?: () => ChosenProvider;
  /** In place of the command's own tools. */
  readonly tools?: readonly ToolContract[];
}
