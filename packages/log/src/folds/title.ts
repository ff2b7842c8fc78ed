/** A title for a session that nobody gave one: the beginning of what the user said first. */
import type { ChatMessage } from "@capstan/kernel";

const maxChars = 80;

export function titleOf(messages: readonly ChatMessage[]): string | undefined {
  const first = messages.find((message) => message.role === "user");
  if (first?.role !== "user") return undefined;
  const texts =
    typeof first.content === "string"
      ? [first.content]
      : first.content.map((part) => (part.type === "text" ? part.text : ""));
  // What comes with it, as a file, may be long and says less.
  const line = (texts.find((text) => text.trim() !== "") ?? "").trim().replaceAll(/\s+/g, " ");
  if (line === "") return undefined;
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).trimEnd()}…`;
}
