/** Errors in the definition of a tool. Thrown to its author, never shown to a model. */
import { CapstanError } from "@capstan/kernel";

/** Codes of a `ToolError`. */
export type ToolErrorCode =
  /** The name, the description or an option is invalid. */
  | "invalid_definition"
  /** The input schema cannot be shown to a model, or cannot be checked. */
  | "invalid_schema";

/** Mistake in the definition of a tool, thrown when the tool or its agent is made. */
export class ToolError extends CapstanError<ToolErrorCode> {
  override readonly name = "ToolError";
  readonly toolName: string;

  constructor(
    code: ToolErrorCode,
    toolName: string,
    problem: string,
    options?: { readonly cause?: unknown },
  ) {
    super(code, `Tool "${shown(toolName)}": ${problem}`, options);
    this.toolName = toolName;
  }
}

/** An invalid name may be too long, or not a string. */
function shown(toolName: unknown): string {
  return String(toolName).slice(0, 100);
}
