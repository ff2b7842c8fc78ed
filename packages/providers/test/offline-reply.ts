/** Asks the offline provider for one reply and gathers its parts. */
import type { ChatMessage, ProviderPart, ProviderRequest, ToolDeclaration } from "@capstan/kernel";
import { offlineProvider } from "@capstan/providers/offline";

interface Reply {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, input: unknown])[];
  readonly parts: readonly ProviderPart[];
}

const [ls, read] = ["ls", "read"].map((name): ToolDeclaration => ({
  name,
  description: name,
  inputSchema: { type: "object" },
}));

export const lookingTools: readonly ToolDeclaration[] = [ls, read].filter(
  (tool) => tool !== undefined,
);

export async function replyTo(
  messages: readonly ChatMessage[],
  changes: Partial<ProviderRequest> = {},
): Promise<Reply> {
  const parts = await Array.fromAsync(offlineProvider().stream(requestOf(messages, changes)));
  const calls = parts.filter((part) => part.type === "toolcall_start");
  return {
    text: parts.map((part) => (part.type === "text_delta" ? part.delta : "")).join(""),
    calls: calls.map(({ index, name }) => [name, JSON.parse(argumentsAt(parts, index))]),
    parts,
  };
}

export function requestOf(
  messages: readonly ChatMessage[],
  changes: Partial<ProviderRequest> = {},
): ProviderRequest {
  return {
    messages,
    tools: lookingTools,
    options: {},
    signal: new AbortController().signal,
    conversationId: "conversation-1",
    turnId: "turn-1",
    step: 1,
    attempt: 1,
    ...changes,
  };
}

export function prompt(content: string): ChatMessage {
  return { role: "user", id: "user-1", content };
}

/** One call and its result, as the transcript has them. */
export function looked(
  name: "ls" | "read",
  path: string,
  content: string,
  isError = false,
): readonly ChatMessage[] {
  const id = `${name} ${path}`;
  return [
    {
      role: "assistant",
      id: `message of ${id}`,
      content: [{ type: "tool_call", id, name, input: { path } }],
      stopReason: "tool-calls",
    },
    { role: "tool", id, toolCallId: id, toolName: name, content, isError },
  ];
}

function argumentsAt(parts: readonly ProviderPart[], index: number): string {
  return parts
    .map((part) => (part.type === "toolcall_delta" && part.index === index ? part.delta : ""))
    .join("");
}
