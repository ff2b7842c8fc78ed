/** Who shows a session to the user: as text, or as lines of JSON. */
import type { EventListener } from "@capstan/core";
import type { TurnResponse } from "@capstan/kernel";
import type { ExitCode } from "../process/io.ts";

interface ShownSession {
  readonly id: string;
  /** The name of the model that the next turn runs with. */
  readonly model: string;
  readonly cwd: string;
}

/** How it came to an end: the last turn, and what all of them took together. */
export interface Outcome extends Pick<
  TurnResponse,
  "status" | "finishReason" | "text" | "usage" | "cost" | "error"
> {
  readonly exitCode: ExitCode;
}

export interface Printer {
  start(session: ShownSession): void;
  readonly onEvent: EventListener;
  /** Something that the command did or found, for people. */
  note(text: string): void;
  end(outcome: Outcome): void;
}
