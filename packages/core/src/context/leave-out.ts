/** Replaces parts that a vendor rejected with notes. */
import type { ChatMessage, PartReference, TextPart } from "@capstan/kernel";

/** Returns the list itself if it has none of the parts. Only media can be left out: no other part is ever named. */
export function leaveOut(
  messages: readonly ChatMessage[],
  parts: readonly PartReference[],
): readonly ChatMessage[] {
  if (parts.length === 0) return messages;
  const shown = messages.map((message) => withoutParts(message, parts));
  return shown.every((message, place) => message === messages[place]) ? messages : shown;
}

function withoutParts(message: ChatMessage, parts: readonly PartReference[]): ChatMessage {
  if (message.role !== "user" && message.role !== "tool") return message;
  const { content } = message;
  if (typeof content === "string") return message;
  const isLeftOut = (place: number): boolean =>
    content[place]?.type !== "text" &&
    parts.some(({ messageId, part }) => messageId === message.id && part === place);
  if (!content.some((_, place) => isLeftOut(place))) return message;
  return {
    ...message,
    content: content.map((part, place) => (isLeftOut(place) ? placeholder(part.type) : part)),
  };
}

function placeholder(type: string): TextPart {
  return { type: "text", text: `(The ${type} is left out: the model's provider did not take it.)` };
}
