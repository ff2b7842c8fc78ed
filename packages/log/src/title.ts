/** A title for a session that nobody gave one: the beginning of what the user said first. */
import type { ChatMessage } from "@capstan/kernel";

const maxChars = 80;

export function titleOf(messages: readonly ChatMessage[]): string | undefined {
  const first = messages.find((message) => message.role === "user");
  if (first?.role !== "user") return undefined;
  const text =
    typeof first.content === "string"
      ? first.content
      : first.content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  const line = text.trim().replaceAll(/\s+/g, " ");
  if (line === "") return undefined;
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).trimEnd()}…`;
}
