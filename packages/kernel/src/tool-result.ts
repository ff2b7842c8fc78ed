/** From whatever a tool returns to the one result that the model, the log and the readers get. */
import type {
  JsonValue,
  ToolCallPart,
  ToolContentPart,
  ToolMessage,
} from "./contracts/conversation.ts";
import type { InputIssue, ToolOutput, ToolResult } from "./contracts/tool.ts";
import { serializeError } from "./errors.ts";

/** The message that carries a result. Its id is the call's, so it is the same wherever it is made. */
export function toToolMessage(
  call: { readonly id: string; readonly name: string },
  result: ToolResult,
): ToolMessage {
  return {
    role: "tool",
    id: call.id,
    toolCallId: call.id,
    toolName: call.name,
    content: result.output,
    isError: result.isError,
    ...(result.details !== undefined && { details: result.details }),
    ...(result.meta !== undefined && { meta: result.meta }),
  };
}

/** What a tool returned, as a result. Throws for a value that is not JSON. */
export function toToolResult(returned: unknown): ToolResult {
  if (typeof returned === "string") return { isError: false, output: returned };
  if (returned === undefined) return { isError: false, output: "(no output)" };
  if (isContentParts(returned)) return { isError: false, output: returned };
  if (isToolOutput(returned)) return fromToolOutput(returned);
  return { isError: false, output: JSON.stringify(returned) ?? "(no output)" };
}

export function errorResult(message: string): ToolResult {
  // Some providers refuse an empty error, and it would tell the model nothing.
  return {
    isError: true,
    output: message === "" ? "The tool failed without saying why." : message,
  };
}

export function thrownResult(thrown: unknown): ToolResult {
  return errorResult(serializeError(thrown).message);
}

/** A copy that is sure to be JSON, as details come from anywhere. */
export function toJson(value: unknown): JsonValue | undefined {
  const text = value === undefined ? undefined : JSON.stringify(value);
  // JSON.parse gives nothing but JSON.
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}

/** The texts of results that no tool wrote. They are for the model: what happened, and what to do. */
export const refusal = {
  unknownTool: (name: string, known: readonly string[]): string =>
    `There is no tool "${name}". ${known.length === 0 ? "No tools are available." : `Available: ${known.join(", ")}.`}`,
  malformedInput: (call: ToolCallPart): string =>
    `Not run: the arguments of "${call.name}" are not valid JSON. Send the call again.`,
  invalidInput: (name: string, issues: readonly InputIssue[]): string =>
    `Not run: invalid input for "${name}". ${issues.map(describeIssue).join("; ")}`,
  cutOff: "Not run: the reply was cut off by its token limit. Send the call again, with less text.",
  filtered: "Not run: the reply was stopped by the provider's content filter.",
  closing: "Not run: no tools may be called any more in this turn.",
  skipped: "Skipped: the user sent a new message, which follows.",
  denied: (reason: string | undefined): string =>
    `Denied${reason === undefined ? "." : `: ${reason}`}`,
  interruptedBefore: "Not run: the turn was interrupted.",
  interruptedWhileRunning: "Interrupted while it ran. It may have taken effect.",
  notRun: "Not run: the turn failed.",
  timedOut: (ms: number): string => `No result within ${ms} ms. It may have taken effect.`,
  unknownOutcome:
    "The outcome is unknown: the process ended while this ran, and it must not run twice. Check before you repeat it.",
  incomplete: "The tool ended without a result.",
} as const;

function describeIssue(issue: InputIssue): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return path.length === 0 ? issue.message : `${path.join(".")}: ${issue.message}`;
}

function isContentParts(value: unknown): value is readonly ToolContentPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentPart);
}

function isContentPart(value: unknown): value is ToolContentPart {
  if (typeof value !== "object" || value === null) return false;
  const part = value as { readonly [key: string]: unknown };
  if (part["type"] === "text") return typeof part["text"] === "string";
  const isMedia = part["type"] === "image" || part["type"] === "document";
  return isMedia && typeof part["mediaType"] === "string" && typeof part["data"] === "string";
}

function isToolOutput(value: unknown): value is ToolOutput {
  if (typeof value !== "object" || value === null) return false;
  const output = value as { readonly [key: string]: unknown };
  return typeof output["ok"] === "boolean" && typeof output["outputMessage"] === "string";
}

function fromToolOutput(output: ToolOutput): ToolResult {
  const result = output.ok
    ? { isError: false, output: output.outputMessage }
    : errorResult(output.outputMessage);
  const details = toJson(output.details);
  const meta = toJson(output.meta);
  return {
    ...result,
    ...(details !== undefined && { details }),
    ...(meta !== undefined && { meta }),
  };
}
