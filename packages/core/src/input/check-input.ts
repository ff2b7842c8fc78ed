/** What callers send is checked before it is stored: a log that nobody can read, or a message that every provider refuses, would stay for ever. */
import type { ToolContent, UserMessage } from "@capstan/kernel";
import type { Answer } from "@capstan/log";
import { invalid } from "../errors/session-error.ts";

/** Gives it back. Throws a `SessionError` for what no provider takes. */
export function checkContent(content: UserMessage["content"]): UserMessage["content"] {
  if (typeof content === "string") {
    if (content.trim() !== "") return content;
    throw invalid("There is nothing to send: the text is empty. Pass some, or use continue");
  }
  if (!Array.isArray(content)) {
    throw invalid(`The content of a message is a text or a list of parts, not ${typeof content}`);
  }
  if (content.length === 0) {
    throw invalid("There is nothing to send: the message has no parts. Pass at least one");
  }
  for (const part of content as readonly unknown[]) checkPart(part);
  return content;
}

/** The same for what a call gave, which may say nothing. */
function checkToolContent(content: ToolContent): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    throw invalid(`The output of an answer is a text or a list of parts, not ${typeof content}`);
  }
  for (const part of content as readonly unknown[]) checkPart(part);
}

function checkPart(part: unknown): void {
  const { type, text, data, url, mediaType } = (part ?? {}) as Readonly<Record<string, unknown>>;
  switch (type) {
    case "text":
      if (typeof text === "string" && text !== "") return;
      throw invalid("A text part needs a text that is not empty: leave the part out");
    case "image":
    case "document":
      if (isFilled(url === undefined ? data : url) && typeof mediaType === "string") return;
      throw invalid(`A part of type "${type}" needs its data as base64 or a url, and a mediaType`);
    default:
      throw invalid(
        `A part is of type "text", "image" or "document", not ${JSON.stringify(type)?.slice(0, 60)}`,
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
  if (typeof toolCallId !== "string") throw invalid("An answer needs the toolCallId as a string");
  const bad = "approved" in answer ? badApproval(answer) : undefined;
  if (bad !== undefined) throw invalid(`The approval of ${toolCallId} has a wrong ${bad}`);
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
  if (typeof approval.hash !== "string") return "hash: it must be that of the pending call";
  if (typeof approval.approved !== "boolean") return "approved: it must be true or false";
  const { reason } = approval;
  if (reason !== undefined && typeof reason !== "string") return "reason: it must be a text";
  return undefined;
}
