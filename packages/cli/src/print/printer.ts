/** Shows a session to the user: as text, or as JSON lines. */
import type { EventListener } from "@capstan/core";
import type { JsonValue, PendingCall, TurnResponse } from "@capstan/kernel";
import type { ExitCode } from "../commands/exit-code.ts";

interface ShownSession {
  readonly id: string;
  /** Name of the model of the next turn. */
  readonly model: string;
  readonly cwd: string;
}

/** How the session ended: the last turn's result, with the total usage of all turns. */
export interface Outcome extends Pick<
  TurnResponse,
  "status" | "finishReason" | "text" | "usage" | "cost" | "error"
> {
  /** Calls that were refused. */
  readonly refusals: readonly Refusal[];
  readonly exitCode: ExitCode;
}

export interface Refusal {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** Text that the model got. */
  readonly reason: string;
}

export interface Printer {
  start(session: ShownSession): void;
  readonly onEvent: EventListener;
  /** Tells the user what the command did or found. */
  note(text: string): void;
  /** Tells the user that a call was refused, and why. Its result is not shown again. */
  refused(call: PendingCall, why: string): void;
  end(outcome: Outcome): void;
}
