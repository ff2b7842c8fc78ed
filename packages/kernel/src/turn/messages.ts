/** Checks messages that the caller hands over: they are recorded unchanged, so a log must be able to store them. */
import type { ChatMessage } from "../contracts/conversation.ts";
import { toJson } from "../effects/json.ts";

export function areMessages(messages: unknown): messages is readonly ChatMessage[] {
  return (
    Array.isArray(messages) &&
    messages.every((message: unknown) => isMessage(message) && toJson(message) !== undefined)
  );
}

function isMessage(value: unknown): value is ChatMessage {
  if (typeof value !== "object" || value === null) return false;
  const { id, role } = value as Partial<ChatMessage>;
  return typeof id === "string" && typeof role === "string";
}
