/**
 * What a model is shown of a session: its messages, with a summary in the place of the beginning, notes in the place of what was evicted or refused,
 * and nothing else changed. It follows from the log alone.
 */
import type { AssistantMessage, ChatMessage, MessagesSoFar, ToolMessage } from "@capstan/kernel";
import type { ContextFold } from "@capstan/log";
import { leaveOut } from "./leave-out.ts";

/** Of one turn: it grows with the turn's messages. */
export class ContextProjection {
  readonly #context: ContextFold;
  #shown: ChatMessage[] | undefined;
  /** How many messages are in it. */
  #count = 0;
  #version = 0;

  constructor(context: ContextFold) {
    this.#context = context;
  }

  /** The same list until something that was shown is shown differently; it grows at its end. */
  show({ history, input, added }: MessagesSoFar): readonly ChatMessage[] {
    const before = history.length + input.length;
    if (this.#shown === undefined || this.#context.version !== this.#version) {
      this.#shown = this.#project([...history, ...input, ...added]);
      this.#version = this.#context.version;
    } else for (const message of added.slice(this.#count - before)) this.#shown.push(message);
    this.#count = before + added.length;
    return this.#shown;
  }

  #project(all: ChatMessage[]): ChatMessage[] {
    const { summary, evicted, quarantined, summarizedBehind, evictedBehind } = this.#context;
    if (this.#context.version === 0) return all;
    const start = summary === undefined ? 0 : 1 + all.findIndex(({ id }) => id === summary.through);
    const firstEvicted = all.findIndex((message) => isEvicted(message, evicted));
    const shown = all.slice(start).map((message, index) => {
      const place = start + index;
      // What a model thought is bound to what was shown before it.
      const isBehindChange =
        place < summarizedBehind ||
        (firstEvicted !== -1 && place > firstEvicted && place < evictedBehind);
      return project(message, evicted, isBehindChange);
    });
    const head: ChatMessage[] =
      summary === undefined ? [] : [{ role: "user", id: summary.id, content: summary.text }];
    return [...head, ...leaveOut(shown, quarantined)];
  }
}

function isEvicted(message: ChatMessage, evicted: ReadonlySet<string>): message is ToolMessage {
  return message.role === "tool" && evicted.has(message.toolCallId);
}

function project(
  message: ChatMessage,
  evicted: ReadonlySet<string>,
  isBehindChange: boolean,
): ChatMessage {
  if (isEvicted(message, evicted)) return { ...message, content: placeholder(message) };
  return message.role === "assistant" && isBehindChange ? withoutThoughts(message) : message;
}

function placeholder({ toolName, toolCallId }: ToolMessage): string {
  return `(The output of ${toolName} is left out to save room. Reference: ${toolCallId})`;
}

/** In plain words: whoever made it reads nothing of its own in it any more. */
function withoutThoughts(message: AssistantMessage): AssistantMessage {
  const isThought = message.content.some(({ type }) => type === "thinking");
  if (!isThought) return message;
  const { origin: _, ...plain } = message;
  return { ...plain, content: message.content.filter(({ type }) => type !== "thinking") };
}
