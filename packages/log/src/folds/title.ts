/** Titles of sessions that were not given one: the beginning of the first user message. */
import type { ChatMessage } from "@capstan/kernel";

const maxChars = 80;
/** Number of characters of a message that are read: megabytes of text must not block the process. */
const maxLookedAt = 2_000;

export function titleOf(messages: readonly ChatMessage[]): string | undefined {
  const first = messages.find((message) => message.role === "user");
  if (first?.role !== "user") return undefined;
  const texts =
    typeof first.content === "string"
      ? [first.content]
      : first.content.map((part) => (part.type === "text" ? part.text : ""));
  // Only the first text: files that come with it may be long and less informative.
  const line = texts.map(beginningOf).find((text) => text !== "");
  if (line === undefined) return undefined;
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).trimEnd()}…`;
}

/** Beginning of a text, on one line. */
function beginningOf(text: string): string {
  const start = text.search(/\S/);
  return text
    .slice(Math.max(start, 0), start + maxLookedAt)
    .replaceAll(/\s+/g, " ")
    .trim();
}
