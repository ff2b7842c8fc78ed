/** Checks that the messages belong together: contents, calls and their results. Uses OpenAI's messages. */
import { invalid } from "../openai-responses/errors.ts";
import { partsOf } from "./chat-request.ts";
import type { ChatRequest, ChatWireMessage } from "./chat-request.ts";

export function checkMessages({ messages }: ChatRequest): void {
  checkPictures(messages);
  for (const [index, message] of messages.entries()) checkContent(message, index);
  checkToolPairs(messages);
}

function checkPictures(messages: readonly ChatWireMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const { role } = message;
    if (role === "user" || !partsOf(message).some(({ type }) => type === "image_url")) continue;
    throw invalid(
      `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      `messages[${index}]`,
      "invalid_value",
    );
  }
}

/** An empty string and an empty list count as content; only an assistant's action can replace it. */
function checkContent(message: ChatWireMessage, index: number): void {
  const { role, content, tool_calls: calls, function_call: call, refusal, audio } = message;
  if (content !== undefined && content !== null) return;
  if (role === "assistant" && (calls || call || refusal || audio)) return;
  throw invalid(
    "Invalid value for 'content': expected a string, got null.",
    `messages.[${index}].content`,
  );
}

function checkToolPairs(messages: readonly ChatWireMessage[]): void {
  let asked = new Set<string>();
  let open = new Set<string>();
  for (const [index, { role, tool_calls: calls, tool_call_id }] of messages.entries()) {
    if (role === "tool") {
      const id = tool_call_id ?? "";
      if (asked.size === 0) throw strayResult(index);
      if (!asked.has(id)) throw unknownCall(id, index);
      open.delete(id);
      continue;
    }
    if (open.size > 0) throw unanswered(open, `messages.[${index}].role`);
    asked = new Set((calls ?? []).map((call) => call.id));
    open = new Set(asked);
  }
  if (open.size > 0) throw unanswered(open, "messages");
}

function strayResult(index: number): Error {
  // The spelling is the service's.
  return invalid(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    `messages.[${index}].role`,
  );
}

function unknownCall(id: string, index: number): Error {
  return invalid(
    `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    `messages.[${index}].tool_call_id`,
  );
}

function unanswered(ids: ReadonlySet<string>, param: string): Error {
  return invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
    param,
  );
}
