/** Results of calls: their messages, their errors, and the texts that the model reads instead of a tool's output. */
import type { ToolCallPart, ToolMessage } from "../contracts/conversation.ts";
import type { InputIssue, ToolContract, ToolResult } from "../contracts/tool.ts";
import type { Draft } from "../effects/draft.ts";
import { serializeError } from "../errors/errors.ts";
/** Some providers refuse an empty error, and it would tell the model nothing. */
export const silentFailure = "The tool failed without an error message.";

const blankMessage: ToolMessage = {
  role: "tool",
  id: "",
  toolCallId: "",
  toolName: "",
  content: "",
  isError: false,
};

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
  if (result.isDenied === true) message.isDenied = true;
  if (result.isTerminal === true) message.isTerminal = true;
  return message;
}

export function errorResult(message: string): ToolResult {
  return { isError: true, output: message === "" ? silentFailure : message };
}

/** Result of a call whose approval was refused. */
export function deniedResult(reason: string | undefined): ToolResult {
  const output = reason === undefined ? "Denied." : `Denied: ${reason}`;
  return { isError: false, output, isDenied: true };
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
  nestedSuspension:
    "Not finished: this tool waits for an answer, which is not possible in a call of another tool.",
  skipped: "Skipped: the user sent a new message, which follows.",
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
