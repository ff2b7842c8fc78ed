/** Rules for the order of messages. */
import type { ChatMessage } from "@capstan/kernel";
import { problemAt } from "./transcript-problem.ts";
import type { TranscriptProblem } from "./transcript-problem.ts";

export function checkOrder(messages: readonly ChatMessage[]): TranscriptProblem[] {
  return [...checkSystem(messages), ...checkNeighbours(messages)];
}

function checkSystem(messages: readonly ChatMessage[]): TranscriptProblem[] {
  const firstOther = messages.findIndex((message) => message.role !== "system");
  if (firstOther === -1) return [];
  return [...messages.entries()]
    .filter(([index, message]) => message.role === "system" && index > firstOther)
    .map(([index, message]) =>
      problemAt(message, index, "system-not-at-start", "it is not at the start"),
    );
}

function checkNeighbours(messages: readonly ChatMessage[]): TranscriptProblem[] {
  const problems: TranscriptProblem[] = [];
  const shown = [...messages.entries()].filter(([, message]) => isShownToModel(message));
  for (const [at, [index, message]] of shown.entries()) {
    if (message.role !== "assistant") continue;
    const next = shown[at + 1]?.[1];
    if (next?.role === "assistant" && message.stopReason !== "pause") {
      const text = `assistant message ${JSON.stringify(next.id)} follows it, but it ended in ${JSON.stringify(message.stopReason)}, not in a pause`;
      problems.push(problemAt(message, index, "two-assistants-in-a-row", text));
    }
    const afterResults = shown.slice(at + 1).find(([, later]) => later.role !== "tool")?.[1];
    if (message.stopReason === "aborted" && afterResults?.role !== "user") {
      const text = "it was aborted, but no user message follows";
      problems.push(problemAt(message, index, "aborted-without-user-message", text));
    }
  }
  return problems;
}

/** Custom messages and failed replies are dropped before a request, so they separate no neighbours. */
function isShownToModel(message: ChatMessage): boolean {
  if (message.role === "custom") return false;
  return message.role !== "assistant" || message.stopReason !== "error";
}
