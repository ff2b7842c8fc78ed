/** What a model may see of a transcript: the default of `convertToLlm`. */
import type { ChatMessage } from "../contracts/conversation.ts";

/** Leaves out custom messages, replies that failed, and replies that said nothing. */
export function toModelMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.filter(isForModel);
}

function isForModel(message: ChatMessage): boolean {
  if (message.role === "custom") return false;
  if (message.role !== "assistant") return true;
  return message.stopReason !== "error" && message.content.length > 0;
}
