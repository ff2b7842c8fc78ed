/** Checks whether messages can be the history of a session: refuses what the next provider would refuse. */
import type { ChatMessage } from "@capstan/kernel";
import { messageFault } from "@capstan/log";
import { invalid } from "../errors/session-error.ts";

type Unnamed<Message> = Message extends unknown
  ? Omit<Message, "id"> & { readonly id?: string }
  : never;

/** A message of a history. Without an id it gets one. */
export type HistoryMessage = Unnamed<ChatMessage>;

/** Returns the messages, each with an id. Throws a `SessionError` that names the message. */
export function toHistory(
  messages: readonly HistoryMessage[],
  newId: () => string,
): readonly ChatMessage[] {
  // Callers in JavaScript may pass anything.
  if (!Array.isArray(messages)) {
    throw invalid(`A history must be a list of messages, not ${kindOf(messages)}`);
  }
  const isNamed = messages.every((message) => message?.id !== undefined);
  return checkHistory(isNamed ? messages : messages.map((message) => withId(message, newId)));
}

/** The id of a result is that of its call. */
function withId(message: HistoryMessage, newId: () => string): ChatMessage {
  if (typeof message !== "object" || message === null || message.id !== undefined) {
    return message as ChatMessage;
  }
  const id = message.role === "tool" ? message.toolCallId : newId();
  return { ...message, id };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

function checkHistory(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const ids = new Set<string>();
  let open: readonly string[] = none;
  let index = -1;
  for (const message of messages) {
    index += 1;
    const fault = messageFault(message);
    if (fault !== undefined) throw bad(index, `is not valid: it${fault}`);
    // One look-up per message: a history may be long.
    if (ids.add(message.id).size === index) {
      throw bad(index, `repeats the id "${message.id}"`);
    }
    if (message.role === "tool") {
      if (!open.includes(message.toolCallId)) {
        throw bad(
          index,
          `is the result of "${message.toolCallId}", which no earlier message calls`,
        );
      }
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (open.length > 0) throw bad(index, `comes before the result of the call "${open[0]}"`);
    if (message.role === "system") {
      throw bad(index, "is a system message: set instructions instead");
    }
    if (message.role === "assistant") open = callsOf(message);
  }
  if (open.length > 0) throw bad(messages.length - 1, `calls "${open[0]}" but no result follows`);
  return messages;
}

const none: readonly string[] = [];

function callsOf({
  content,
  stopReason,
}: Extract<ChatMessage, { role: "assistant" }>): readonly string[] {
  // A failed reply is never shown again, and its calls never ran.
  if (stopReason === "error") return none;
  let calls: string[] | undefined;
  for (const part of content) {
    if (part.type === "tool_call" && part.isProviderExecuted !== true) (calls ??= []).push(part.id);
  }
  return calls ?? none;
}

function bad(index: number, why: string): Error {
  return invalid(`Invalid history: the message at index ${index} ${why}`);
}
