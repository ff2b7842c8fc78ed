/** Exit codes of the command. */
import type { TurnResponse } from "@capstan/kernel";
import type { Io } from "../process/io.ts";

/**
 * 0: done. 1: the turn failed, or the output could not be written. 2: wrong use, or a bad configuration. 3: ended early by a limit. 4: done, but calls
 * were refused, so the task may be incomplete. 129, 130 and
 * 143: ended by SIGHUP, SIGINT and SIGTERM.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 129 | 130 | 143;

/** Exit codes of a command that a signal has ended. */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Exit code of a command that ran a turn. */
export function exitCodeOf(
  { status, finishReason }: TurnResponse,
  hasRefusals: boolean,
  io: Io,
): ExitCode {
  if (io.signal.aborted) return io.interruptedCode();
  // A question that only a user can answer is left open.
  if (status === "awaiting_tool_execution") return 4;
  if (status !== "completed") return 1;
  if (finishReason !== "stop") return 3;
  return hasRefusals ? 4 : 0;
}
