/** How much of a transcript a summary may stand for: whole steps, and nothing that no model has read. */
import type { ChatMessage } from "@capstan/kernel";
import type { TranscriptFold } from "@capstan/log";

/** The place behind the last message of it; `from` where there is nothing. */
export function endOfSummary(
  { messages, step }: Pick<TranscriptFold, "messages" | "step">,
  from: number,
  keepRecentSteps: number,
): number {
  let end = messages.length;
  const isOpen = step !== undefined && !step.isEmpty && !step.isSettled;
  // What came before calls that wait was read by whoever made them.
  if (isOpen) end = messages.lastIndexOf(step.message);
  else while (end > from && !isRead(messages[end - 1])) end--;
  for (let kept = 0; kept < keepRecentSteps && end > from; kept++) {
    end = messages.findLastIndex((message, place) => place < end && isReply(message));
    // What the step replied to says what it was for.
    while (end > from && !isRead(messages[end - 1])) end--;
  }
  return Math.max(end, from);
}

/** Whether a model has seen it, or made it: the result of a tool is about what a model asked for. */
function isRead(message: ChatMessage | undefined): boolean {
  return message?.role === "tool" || isReply(message);
}

function isReply(message: ChatMessage | undefined): boolean {
  if (message?.role !== "assistant") return false;
  return message.stopReason !== "error" && message.content.length > 0;
}
