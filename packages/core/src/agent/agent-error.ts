/** What an agent cannot do with what it was given, and what `run` throws. */
import type { SerializedError } from "@capstan/kernel";

export type AgentErrorCode =
  | "unknown_model"
  /** The turn ended without an answer: aborted, failed, or waiting for somebody. */
  | "no_answer";

export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly code: AgentErrorCode;
  /** How the turn failed, where it did. */
  readonly turnError: SerializedError | undefined;

  constructor(
    code: AgentErrorCode,
    message: string,
    options: ErrorOptions & { readonly turnError?: SerializedError } = {},
  ) {
    super(message, options);
    this.code = code;
    this.turnError = options.turnError;
  }
}
