/** Shortens messages that exceed the window of the summarizing model: the least important parts go first. */
import type { ChatMessage, ToolMessage, UserMessage } from "@capstan/kernel";
import { tokensOfMessage } from "../context/estimate-tokens.ts";

const leftOutOutput = "(This output is left out of the summary request: it does not fit.)";
const leftOutMessages =
  "(Messages that stood here are left out of the summary request: they do not fit.)";
/** Share of a text that is too long to keep from its beginning; the end more often tells what it is for. */
const shownOfText = 0.5;

/**
 * Returns the list itself if it fits. Otherwise the oldest tool outputs go, then the oldest whole steps, then the middle of texts that are still
 * too long. The first message stays: the request of the user, or an earlier summary.
 */
export function fitMessages(
  messages: readonly ChatMessage[],
  maxTokens: number,
  hasCustom: boolean,
): readonly ChatMessage[] {
  const sizes = messages.map((message) => tokensOfMessage(message, hasCustom));
  let surplus = sizes.reduce((sum, size) => sum + size, 0) - maxTokens;
  if (surplus <= 0) return messages;
  const fitted = messages.map((message, place) => {
    if (surplus <= 0 || message.role !== "tool") return message;
    const short = withoutOutput(message);
    const size = tokensOfMessage(short, hasCustom);
    const saved = (sizes[place] ?? 0) - size;
    if (saved <= 0) return message;
    sizes[place] = size;
    surplus -= saved;
    return short;
  });
  if (surplus <= 0) return fitted;
  const head = fitted.findIndex(({ role }) => role === "assistant");
  let start = head === -1 ? fitted.length : head;
  while (surplus > 0) {
    const next = fitted.findIndex((message, place) => place > start && message.role !== "tool");
    if (next === -1) break;
    for (; start < next; start++) surplus -= sizes[start] ?? 0;
  }
  const isLeftOut = head !== -1 && start > head;
  const whole = isLeftOut
    ? [...fitted.slice(0, head), note(fitted[head]), ...fitted.slice(start)]
    : fitted;
  return surplus <= 0 ? whole : whole.map((message) => shortened(message, maxTokens));
}

function withoutOutput(message: ToolMessage): ToolMessage {
  return { ...message, content: leftOutOutput };
}

function note(inPlaceOf: ChatMessage | undefined): UserMessage {
  return { role: "user", id: `${inPlaceOf?.id}_left_out`, content: leftOutMessages };
}

/** Shortens user messages and tool outputs only: a reply must go back unchanged. */
function shortened(message: ChatMessage, maxUnits: number): ChatMessage {
  if (message.role !== "user") return message;
  const { content } = message;
  if (typeof content === "string") return { ...message, content: shortText(content, maxUnits) };
  return {
    ...message,
    content: content.map((part) =>
      part.type === "text" ? { ...part, text: shortText(part.text, maxUnits) } : part,
    ),
  };
}

function shortText(text: string, maxUnits: number): string {
  const shown = Math.floor((maxUnits * shownOfText) / 2);
  if (text.length <= 2 * shown) return text;
  return `${text.slice(0, shown)}\n[…]\n${text.slice(-shown)}`;
}
