/** How much room messages take, in characters: close enough to compare one request with another, and cheap enough to be counted for each. */
import type { AssistantPart, ChatMessage, JsonValue, ToolContent, UserPart } from "@capstan/kernel";

/** A vendor makes as much of a picture as of a text of this length. */
const sizeOfMedium = 6_400;
/** Of the note in the place of an output that was left out. */
export const sizeOfNote = 100;

/** What a model is shown of a message; with `isThoughtless`, of one whose thinking is left out. */
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

/** Without making the text. */
function sizeOfJson(value: JsonValue): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let size = 2;
  for (const name of Object.keys(value)) {
    // A list has its places as names; each is there.
    const inner = (value as { readonly [name: string]: JsonValue })[name] as JsonValue;
    size += name.length + 4 + sizeOfJson(inner);
  }
  return size;
}
