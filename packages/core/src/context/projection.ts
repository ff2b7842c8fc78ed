/**
 * What a model is shown of a session: its messages, with a summary in the place of the beginning, notes in the place of what was evicted or refused,
 * and nothing else changed. It follows from the log alone.
 */
import type { AssistantMessage, ChatMessage, MessagesSoFar, ToolMessage } from "@capstan/kernel";
import type { ContextFold, SessionFold } from "@capstan/log";
import { leaveOut } from "./leave-out.ts";
import { evictedNote } from "../outputs/output-notes.ts";

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
    const { summary, evicted, quarantined } = this.#context;
    if (this.#context.version === 0) return all;
    const through = summary === undefined ? -1 : all.findIndex(({ id }) => id === summary.through);
    const start = through + 1;
    const shown = all.slice(start).map((message, index) => {
      if (isEvicted(message, evicted)) {
        return { ...message, content: evictedNote(message) };
      }
      // What a model thought is bound to what was shown before it.
      const isBound = message.role === "assistant" && this.#context.isAfterChange(start + index);
      return isBound ? withoutThoughts(message) : message;
    });
    const head: ChatMessage[] =
      summary === undefined || start === 0
        ? []
        : [{ role: "user", id: summary.id, content: summary.text }];
    return [...head, ...leaveOut(shown, quarantined)];
  }
}

/** What a model is shown of a session up to this place, or of all of it. */
export function projectUpTo(
  { transcript, context }: SessionFold,
  end?: number,
): readonly ChatMessage[] {
  const history = transcript.messages.slice(0, end);
  return new ContextProjection(context).show({ history, input: [], added: [] });
}

function isEvicted(message: ChatMessage, evicted: ReadonlySet<string>): message is ToolMessage {
  return message.role === "tool" && evicted.has(message.toolCallId);
}

/** In plain words: whoever made it reads nothing of its own in it any more. */
function withoutThoughts(message: AssistantMessage): AssistantMessage {
  const isThought = message.content.some(({ type }) => type === "thinking");
  if (!isThought) return message;
  const { origin: _, ...plain } = message;
  return { ...plain, content: message.content.filter(({ type }) => type !== "thinking") };
}
