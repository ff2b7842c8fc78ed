/** What an agent cannot do with what it was given, and what `run` throws. */
import type { SerializedError } from "@capstan/kernel";
import { CapstanError } from "@capstan/kernel";

export type AgentErrorCode =
  | "unknown_model"
  /** A number among the options is none, or cannot be used. */
  | "invalid_option"
  /** A context window that compaction needs and nobody states. */
  | "unknown_window"
  | "invalid_compaction"
  /** A model that was asked for a summary gave none. */
  | "no_summary"
  /** The turn ended without an answer: aborted, failed, or waiting for somebody. */
  | "no_answer";

export class AgentError extends CapstanError<AgentErrorCode> {
  override readonly name = "AgentError";
  /** How the turn failed, where it did. */
  readonly turnError: SerializedError | undefined;

  constructor(
    code: AgentErrorCode,
    message: string,
    options: ErrorOptions & { readonly turnError?: SerializedError } = {},
  ) {
    super(code, message, options);
    this.turnError = options.turnError;
  }
}
