/** Turns any return value of a tool into the one result that the model, the log and the readers get. */
import type { ToolCallPart, ToolContentPart, ToolMessage } from "../contracts/conversation.ts";
import type { InputIssue, ToolContract, ToolOutput, ToolResult } from "../contracts/tool.ts";
import type { Draft } from "../effects/draft.ts";
import { serializeError } from "../errors/errors.ts";
import { toJson } from "../effects/json.ts";

const noOutput = "(no output)";
/** Some providers refuse an empty error, and it would tell the model nothing. */
const silentFailure = "The tool failed without an error message.";

const blankMessage: ToolMessage = {
  role: "tool",
  id: "",
  toolCallId: "",
  toolName: "",
  content: "",
  isError: false,
};
const blankResult: ToolResult = { isError: false, output: "" };

/** Message that carries a result. Its id is the call's, so it is identical wherever it is created. */
export function toToolMessage(
  call: { readonly id: string; readonly name: string },
  result: ToolResult,
): ToolMessage {
  const message: Draft<ToolMessage> = {
    ...blankMessage,
    id: call.id,
    toolCallId: call.id,
    toolName: call.name,
    content: result.output,
    isError: result.isError,
  };
  if (result.details !== undefined) message.details = result.details;
  if (result.meta !== undefined) message.meta = result.meta;
  if (result.kept !== undefined) message.kept = result.kept;
  return message;
}

/** Converts a tool's return value to a result. Throws for a value that is not JSON. */
export function toToolResult(returned: unknown): ToolResult {
  if (typeof returned === "string") return { ...blankResult, output: returned };
  const parts = toContentParts(returned);
  if (parts !== undefined) return { isError: false, output: cleanParts(parts) };
  return (
    fromToolOutput(returned) ?? { isError: false, output: JSON.stringify(returned) ?? noOutput }
  );
}

/** Normalises a result from outside to a form that every provider and every log accepts. */
export function cleanResult(result: ToolResult): ToolResult {
  try {
    const { output } = toToolResult(result.output);
    // Untyped code may have created it.
    const given: { readonly isError: unknown } = result;
    const isError = Boolean(given.isError);
    const clean: Draft<ToolResult> = {
      isError,
      output: isError && output === "" ? silentFailure : output,
    };
    const details = toJson(result.details);
    const meta = toJson(result.meta);
    if (details !== undefined) clean.details = details;
    if (meta !== undefined) clean.meta = meta;
    if (result.isTerminal === true) clean.isTerminal = true;
    return clean;
  } catch (thrown) {
    return thrownResult(thrown);
  }
}

export function errorResult(message: string): ToolResult {
  return { isError: true, output: message === "" ? silentFailure : message };
}

/** Result of a call that was running when the turn was aborted. */
export function interruptedResult(
  tool: ToolContract | undefined,
  abort?: Interruption,
): ToolResult {
  const text = abort?.isTimeout === true ? refusal.outOfTime : refusal.interrupted;
  return errorResult(tool?.effect === "pure" ? text : `${text} ${refusal.inEffect}`);
}

/** Result of a call that had not started when the turn was aborted. */
export function interruptedBefore({ isTimeout }: Interruption): string {
  return isTimeout ? refusal.outOfTimeBefore : refusal.interruptedBefore;
}

/** Cause of an aborted turn. */
interface Interruption {
  readonly isTimeout: boolean;
}

export function thrownResult(thrown: unknown): ToolResult {
  return errorResult(serializeError(thrown).message);
}

/** Texts of results that no tool wrote. The model reads them: they state what happened, and what to do. */
export const refusal = {
  unknownTool: (name: string, known: readonly string[]): string =>
    `Unknown tool "${name}". ${known.length === 0 ? "No tools are available." : `Available: ${known.join(", ")}.`}`,
  malformedInput: (call: ToolCallPart): string =>
    `Not run: the arguments of "${call.name}" are truncated, not valid JSON, or nested too deeply. Send the call again.`,
  invalidInput: (name: string, issues: readonly InputIssue[]): string =>
    `Not run: invalid input for "${name}". ${describeIssues(issues)}`,
  cutOff: "Not run: the reply was cut off by its token limit. Send the call again with less text.",
  filtered: "Not run: the reply was stopped by the provider's content filter.",
  closing: "Not run: this turn may not call any more tools.",
  blocked: "Blocked: this call is not allowed.",
  skipped: "Skipped: the user sent a new message, which follows.",
  denied: (reason: string | undefined): string =>
    `Denied${reason === undefined ? "." : `: ${reason}`}`,
  interruptedBefore: "Not run: the turn was interrupted.",
  interrupted: "Interrupted while running.",
  outOfTimeBefore: "Not run: the time limit of the turn was reached.",
  outOfTime: "Stopped while running: the time limit of the turn was reached.",
  inEffect: "It may have taken effect.",
  notRun: "Not run: the turn failed.",
  timedOut: (ms: number): string => `No result within ${ms} ms. It may have taken effect.`,
  unknownOutcome:
    "The outcome is unknown: the process ended while this ran, and it must not run twice. Check before you repeat it.",
  incomplete: "The tool ended without a result.",
} as const;

/** Number of input issues that the model is shown, and characters of each: a long list of long messages could exceed any context. */
const maxIssues = 10;
const maxIssueChars = 1_000;

function describeIssues(issues: readonly InputIssue[]): string {
  const shown = issues.slice(0, maxIssues).map(describeIssue).join("; ");
  return issues.length > maxIssues ? `${shown}; and ${issues.length - maxIssues} more` : shown;
}

function describeIssue(issue: InputIssue): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  const text = path.length === 0 ? issue.message : `${path.join(".")}: ${issue.message}`;
  return text.length > maxIssueChars ? `${text.slice(0, maxIssueChars)}…` : text;
}

/** Returns copies of the parts if the value is a list of parts only. Reads each field once: a getter may return another value the next time. */
function toContentParts(value: unknown): readonly ToolContentPart[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts: ToolContentPart[] = [];
  for (const each of value as readonly unknown[]) {
    const part = toContentPart(each);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** Copies known fields only. */
function toContentPart(value: unknown): ToolContentPart | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, text, mediaType, data, url, name } = value as { readonly [key: string]: unknown };
  if (type === "text") return typeof text === "string" ? { type, text } : undefined;
  const source =
    typeof data === "string" ? { data } : typeof url === "string" ? { url } : undefined;
  if (typeof mediaType !== "string" || source === undefined) return undefined;
  if (type === "image") return { type, mediaType, ...source };
  if (type !== "document") return undefined;
  return { type, mediaType, ...source, ...(typeof name === "string" && { name }) };
}

/** Drops empty texts: some providers refuse them. */
function cleanParts(parts: readonly ToolContentPart[]): readonly ToolContentPart[] | string {
  const clean = parts.filter((part) => part.type !== "text" || part.text !== "");
  return clean.length === 0 ? noOutput : clean;
}

function fromToolOutput(value: unknown): ToolResult | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { ok: isOk, outputMessage, ...more } = value as Partial<ToolOutput>;
  if (typeof isOk !== "boolean" || typeof outputMessage !== "string") return undefined;
  const result = isOk ? { isError: false, output: outputMessage } : errorResult(outputMessage);
  const details = toJson(more.details);
  const meta = toJson(more.meta);
  return {
    ...result,
    ...(details !== undefined && { details }),
    ...(meta !== undefined && { meta }),
  };
}
