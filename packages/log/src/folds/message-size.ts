/** Size of messages in characters: accurate enough to compare one request with another, and cheap enough to compute for each. */
import type { AssistantPart, ChatMessage, JsonValue, ToolContent, UserPart } from "@capstan/kernel";

/** Vendors count a picture like a text of this length. */
const sizeOfMedium = 6_400;
/** Size of the note that replaces an evicted output. */
export const sizeOfNote = 100;

/** Size of a message as a model is shown it; with `isThoughtless`, without its thinking. */
export function sizeOfMessage(message: ChatMessage, isThoughtless: boolean): number {
  switch (message.role) {
    case "custom":
      return 0;
    case "assistant":
      if (message.stopReason === "error") return 0;
      return message.content.reduce((sum, part) => sum + sizeOfPart(part, isThoughtless), 0);
    default:
      return sizeOfContent(message.content);
  }
}

export function sizeOfContent(content: ToolContent | readonly UserPart[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text.length : sizeOfMedium),
    0,
  );
}

function sizeOfPart(part: AssistantPart, isThoughtless: boolean): number {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text.length;
    case "thinking":
      return isThoughtless ? 0 : part.thinking.length;
    case "tool_call":
      return part.name.length + sizeOfJson(part.input);
    case "native":
      return sizeOfJson(part.data);
    default:
      return part satisfies never;
  }
}

/** Does not create the text. */
function sizeOfJson(value: JsonValue): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let size = 2;
  for (const name of Object.keys(value)) {
    // A list has its indexes as names; each one exists.
    const inner = (value as { readonly [name: string]: JsonValue })[name] as JsonValue;
    size += name.length + 4 + sizeOfJson(inner);
  }
  return size;
}
