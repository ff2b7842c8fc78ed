/** Whether messages can be the history of a session: what the next provider would refuse is refused here. */
import type { ChatMessage } from "@capstan/kernel";
import { invalid } from "../errors/session-error.ts";

/** Throws a `SessionError` that names the message. */
export function checkHistory(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const ids = new Set<string>();
  let open: readonly string[] = none;
  let place = -1;
  for (const message of messages) {
    place += 1;
    // One look-up for each: a history may be long.
    if (ids.add(message.id).size === place) {
      throw bad(place, `has the id "${message.id}" of an earlier one`);
    }
    if (message.role === "tool") {
      if (!open.includes(message.toolCallId)) {
        throw bad(
          place,
          `is the result of "${message.toolCallId}", which nobody has called before it`,
        );
      }
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (open.length > 0) throw bad(place, `comes before the result of the call "${open[0]}"`);
    if (message.role === "system") {
      throw bad(place, "is a system message: set instructions instead");
    }
    if (message.role === "assistant") open = callsOf(message);
  }
  if (open.length > 0) throw bad(messages.length - 1, `calls "${open[0]}" and nothing follows it`);
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

function bad(place: number, why: string): Error {
  return invalid(`These messages cannot be a history: the one at place ${place} ${why}`);
}
