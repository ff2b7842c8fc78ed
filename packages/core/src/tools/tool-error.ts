/** What is wrong with the definition of a tool. Thrown to its author, never shown to a model. */

export type ToolErrorCode =
  /** The name, the description or an option cannot be used. */
  | "invalid_definition"
  /** The input schema cannot be shown to a model, or cannot be checked. */
  | "invalid_schema";

export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ToolErrorCode;
  readonly toolName: string;

  constructor(
    code: ToolErrorCode,
    toolName: string,
    problem: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`Tool "${toolName}": ${problem}`, options);
    this.code = code;
    this.toolName = toolName;
  }
}
