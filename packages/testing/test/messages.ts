/** Short ways to write the messages of a transcript. */
import type {
  AssistantMessage,
  AssistantPart,
  FinishReason,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "@capstan/kernel";

export function user(id: string, content: UserMessage["content"] = "Hello"): UserMessage {
  return { role: "user", id, content };
}

export function assistant(
  id: string,
  content: readonly AssistantPart[] = [{ type: "text", text: "Hi" }],
  stopReason: FinishReason = "stop",
): AssistantMessage {
  return { role: "assistant", id, content, stopReason };
}

export function call(id: string, overrides: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: "tool_call", id, name: "echo", input: {}, ...overrides };
}

export function result(id: string, overrides: Partial<ToolMessage> = {}): ToolMessage {
  return {
    role: "tool",
    id,
    toolCallId: id,
    toolName: "echo",
    content: "ok",
    isError: false,
    ...overrides,
  };
}
