/** Determines how much of a transcript a summary may replace: whole steps that a model has read. */
import type { ChatMessage } from "@capstan/kernel";
import type { TranscriptFold } from "@capstan/log";

/** Index after the last message to summarize; `from` if there is nothing. */
export function endOfSummary(
  { messages, step }: Pick<TranscriptFold, "messages" | "step">,
  from: number,
  keepRecentSteps: number,
): number {
  let end = messages.length;
  const isOpen = step !== undefined && !step.isEmpty && !step.isSettled;
  // The model that made the pending calls has read everything before them.
  if (isOpen) end = messages.lastIndexOf(step.message);
  else while (end > from && !isRead(messages[end - 1])) end--;
  for (let kept = 0; kept < keepRecentSteps && end > from; kept++) {
    end = messages.findLastIndex((message, place) => place < end && isReply(message));
    // Keep the message that the step replied to: it tells what the step was for.
    while (end > from && !isRead(messages[end - 1])) end--;
  }
  return Math.max(end, from);
}

/** Whether a model has seen or written it. A tool result counts, as a model asked for it. */
function isRead(message: ChatMessage | undefined): boolean {
  return message?.role === "tool" || isReply(message);
}

function isReply(message: ChatMessage | undefined): boolean {
  if (message?.role !== "assistant") return false;
  return message.stopReason !== "error" && message.content.length > 0;
}
