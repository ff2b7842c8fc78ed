/** Default of `convertToLlm`: the messages of a transcript that a model may see. */
import type { ChatMessage } from "../contracts/conversation.ts";

/** Returns the messages that a model may be shown. Drops custom messages, failed replies, and empty replies. */
export function toModelMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.filter(isForModel);
}

function isForModel(message: ChatMessage): boolean {
  if (message.role === "custom") return false;
  if (message.role !== "assistant") return true;
  return message.stopReason !== "error" && message.content.length > 0;
}
