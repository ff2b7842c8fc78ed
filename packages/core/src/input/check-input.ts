/** Checks input before it is stored: an unreadable log, or a message that every provider refuses, would stay forever. */
import type { ToolContent, UserMessage } from "@capstan/kernel";
import type { Answer } from "@capstan/log";
import { invalid } from "../errors/session-error.ts";

/** Returns the content. Throws a `SessionError` if no provider would accept it. */
export function checkContent(content: UserMessage["content"]): UserMessage["content"] {
  if (typeof content === "string") {
    if (content.trim() !== "") return content;
    throw invalid("Nothing to send: the text is empty. Pass a text, or use continue");
  }
  if (!Array.isArray(content)) {
    throw invalid(
      `The content of a message must be a string or a list of parts, not ${typeof content}`,
    );
  }
  if (content.length === 0) {
    throw invalid("Nothing to send: the message has no parts. Pass at least one");
  }
  for (const part of content as readonly unknown[]) checkPart(part);
  return content;
}

/** Likewise for the output of a call, which may be empty. */
function checkToolContent(content: ToolContent): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    throw invalid(
      `The output of an answer must be a string or a list of parts, not ${typeof content}`,
    );
  }
  for (const part of content as readonly unknown[]) checkPart(part);
}

function checkPart(part: unknown): void {
  const { type, text, data, url, mediaType } = (part ?? {}) as Readonly<Record<string, unknown>>;
  switch (type) {
    case "text":
      if (typeof text === "string" && text !== "") return;
      throw invalid("A text part must not be empty: omit the part");
    case "image":
    case "document":
      if (isFilled(url === undefined ? data : url) && typeof mediaType === "string") return;
      throw invalid(`A part of type "${type}" needs its data as base64 or a url, and a mediaType`);
    default:
      throw invalid(
        `The type of a part must be "text", "image" or "document", not ${JSON.stringify(type)?.slice(0, 60)}`,
      );
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** A misspelled `isError` would turn a failure into a success. */
const answerFields: ReadonlySet<string> = new Set(["toolCallId", "output", "isError", "details"]);

export function checkAnswer(answer: Answer): void {
  const { toolCallId } = answer;
  if (typeof toolCallId !== "string") throw invalid("The toolCallId of an answer must be a string");
  const bad = "approved" in answer ? badApproval(answer) : undefined;
  if (bad !== undefined) throw invalid(`Invalid approval of ${toolCallId}: ${bad}`);
  if ("approved" in answer) return;
  if (answer.isError !== undefined && typeof answer.isError !== "boolean") {
    throw invalid(`\`isError\` must be a boolean (answer to ${toolCallId})`);
  }
  const unknown = Object.keys(answer).find((field) => !answerFields.has(field));
  if (unknown !== undefined) {
    throw invalid(
      `Unknown field "${unknown.slice(0, 80)}" (answer to ${toolCallId}): use ${[...answerFields].join(", ")}`,
    );
  }
  checkToolContent(answer.output);
}

function badApproval(approval: {
  readonly hash: unknown;
  readonly approved: unknown;
  readonly reason?: unknown;
}): string | undefined {
  if (typeof approval.hash !== "string") return "`hash` must be the hash of the pending call";
  if (typeof approval.approved !== "boolean") return "`approved` must be a boolean";
  const { reason } = approval;
  if (reason !== undefined && typeof reason !== "string") return "`reason` must be a string";
  return undefined;
}
