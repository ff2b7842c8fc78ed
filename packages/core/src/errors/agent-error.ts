/** Errors of an agent: invalid options, and turns without an answer. */
import type { SerializedError } from "@capstan/kernel";
import { CapstanError } from "@capstan/kernel";

/** Codes of an `AgentError`. */
export type AgentErrorCode =
  | "unknown_model"
  /** An option is unknown, of the wrong type or out of range, or a tool is none. */
  | "invalid_option"
  /** The stored application context does not fit the schema of the agent or of one of its tools. */
  | "invalid_app_context"
  /** Compaction needs the context window, which is unknown. */
  | "unknown_window"
  | "invalid_compaction"
  /** The model that was asked for a summary returned none. */
  | "no_summary"
  /** The turn ended without an answer: aborted, failed, or awaiting answers. */
  | "no_answer";

/** Failure of an agent's configuration, or of `agent.run` and its kin. */
export class AgentError extends CapstanError<AgentErrorCode> {
  override readonly name = "AgentError";
  /** Error of the turn, if it failed. */
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
