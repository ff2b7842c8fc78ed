/** Rules for each message alone: it has content, no part of it is empty, and all of it is JSON. */
import type { ChatMessage } from "@capstan/kernel";
import { findNonJson } from "./find-non-json.ts";
import { problemAt } from "./transcript-problem.ts";
import type { TranscriptProblem } from "./transcript-problem.ts";

const callIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

export function checkContent(message: ChatMessage, index: number): TranscriptProblem[] {
  if (!isWellFormed(message)) {
    const text = "its content is neither a string nor a list of parts";
    return [problemAt(message, index, "malformed-content", text)];
  }
  const problems: TranscriptProblem[] = [];
  if (needsContent(message) && message.content.length === 0) {
    problems.push(problemAt(message, index, "empty-content", "it has no content"));
  }
  for (const [at, part] of partsOf(message).entries()) {
    if (isEmpty(part)) {
      problems.push(
        problemAt(message, index, "empty-part", `content[${at}] (${part.type}) is empty`),
      );
    }
    if (part.type === "tool_call" && !callIdPattern.test(part.id)) {
      const text = `the call id ${JSON.stringify(part.id)} does not match ${callIdPattern.source}`;
      problems.push(problemAt(message, index, "malformed-call-id", text, part.id));
    }
  }
  for (const { path, what } of findNonJson(message)) {
    problems.push(problemAt(message, index, "not-json", `${path} is ${what}`));
  }
  return problems;
}

type Part = Exclude<Extract<ChatMessage, { readonly content: unknown }>["content"], string>[number];

/** The types require this, but values from a tool or a store may differ. */
function isWellFormed(message: ChatMessage): boolean {
  if (message.role === "custom") return true;
  const content: unknown = message.content;
  if (typeof content === "string") return message.role !== "assistant";
  return Array.isArray(content) && message.role !== "system" && content.every(isPart);
}

function isPart(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value;
}

function needsContent(
  message: ChatMessage,
): message is Extract<ChatMessage, { readonly content: unknown }> {
  // A tool may succeed without output; a failure must say what failed.
  if (message.role === "tool") return message.isError;
  return message.role === "user" || message.role === "assistant";
}

function partsOf(message: ChatMessage): readonly Part[] {
  if (message.role === "custom" || typeof message.content === "string") return [];
  return message.content;
}

function isEmpty(part: Part): boolean {
  switch (part.type) {
    // Parts with provider data must be sent back all the same: signed thinking may hide its text.
    case "text":
    case "refusal":
      return part.text === "" && part.providerData === undefined;
    case "thinking":
      return part.thinking === "" && part.providerData === undefined;
    case "image":
    case "document":
      return ("url" in part ? part.url : part.data) === "";
    case "tool_call":
    case "native":
      return false;
    default:
      part satisfies never;
      return false;
  }
}
