/**
 * Projection of a session for the model: its messages, with a summary instead of the beginning, and notes instead of evicted or rejected
 * parts. Nothing else is changed. It follows from the log alone.
 */
import type { AssistantMessage, ChatMessage, MessagesSoFar, ToolMessage } from "@capstan/kernel";
import type { ContextFold, SessionFold } from "@capstan/log";
import { leaveOut } from "./leave-out.ts";
import { evictedNote } from "../outputs/output-notes.ts";

/** Context of one turn. It grows with the turn's messages. */
export class ContextProjection {
  readonly #context: ContextFold;
  #shown: ChatMessage[] | undefined;
  /** Number of projected messages. */
  #count = 0;
  #version = 0;

  constructor(context: ContextFold) {
    this.#context = context;
  }

  /** Returns one list that grows at its end, until a message must be shown differently. */
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
    const { summary, evicted, quarantined, withheld } = this.#context;
    if (this.#context.version === 0) return all;
    const through = summary === undefined ? -1 : all.findIndex(({ id }) => id === summary.through);
    const start = through + 1;
    const shown = all.slice(start).map((message, index) => {
      if (isEvicted(message, evicted)) {
        return { ...message, content: evictedNote(message) };
      }
      // Thinking is bound to the messages before it.
      const isBound = message.role === "assistant" && this.#context.isAfterChange(start + index);
      return isBound ? withoutThoughts(message) : message;
    });
    const head: ChatMessage[] =
      summary === undefined || start === 0
        ? []
        : [{ role: "user", id: summary.id, content: summary.text }];
    const allowed = withheld.size === 0 ? shown : shown.filter(({ id }) => !withheld.has(id));
    return [...head, ...leaveOut(allowed, quarantined)];
  }
}

/** Projects a session up to this message, or all of it. */
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

/** Returns the reply without thinking and without the vendor's own data. */
function withoutThoughts(message: AssistantMessage): AssistantMessage {
  const isThought = message.content.some(({ type }) => type === "thinking");
  if (!isThought) return message;
  const { origin: _, ...plain } = message;
  return { ...plain, content: message.content.filter(({ type }) => type !== "thinking") };
}
