/** Reads the current turn from the messages of a request: its prompt, and the tool results since. */
import type { ChatMessage, JsonValue, TextPart, UserMessage } from "@capstan/kernel";

export interface TurnSoFar {
  readonly prompt: string;
  readonly hasReplied: boolean;
  /** Result in this turn of a tool called on `path`. */
  resultOf(toolName: string, path: string): LookResult | undefined;
}

export interface LookResult {
  readonly output: string;
  readonly isError: boolean;
}

/** Reads from the last message that a user wrote. Messages with a `source`, sent on a user's behalf, do not count. */
export function readTurn(messages: readonly ChatMessage[]): TurnSoFar {
  const start = messages.findLastIndex(isPrompt);
  const prompt = messages[start];
  const since = messages.slice(start + 1);
  const pathsByCall = new Map(since.flatMap(callsOf));
  const results = new Map<string, LookResult>();
  for (const message of since) {
    if (message.role !== "tool") continue;
    const path = pathsByCall.get(message.toolCallId);
    if (path === undefined) continue;
    const output = textOf(message.content);
    results.set(keyOf(message.toolName, path), { output, isError: message.isError });
  }
  return {
    prompt: prompt !== undefined && isPrompt(prompt) ? textOf(prompt.content) : "",
    hasReplied: since.some(({ role }) => role === "assistant"),
    resultOf: (toolName, path) => results.get(keyOf(toolName, path)),
  };
}

function isPrompt(message: ChatMessage): message is UserMessage {
  return message.role === "user" && message.source === undefined;
}

function callsOf(message: ChatMessage): [id: string, path: string][] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part): [string, string][] => {
    const path = part.type === "tool_call" ? pathIn(part.input) : undefined;
    return part.type === "tool_call" && path !== undefined ? [[part.id, path]] : [];
  });
}

function pathIn(input: JsonValue): string | undefined {
  if (typeof input !== "object" || input === null || !("path" in input)) return undefined;
  const { path } = input;
  return typeof path === "string" ? path : undefined;
}

function textOf(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === "string") return content;
  return content
    .filter((part): part is TextPart => part.type === "text")
    .map(({ text }) => text)
    .join("\n");
}

function keyOf(toolName: string, path: string): string {
  return JSON.stringify([toolName, path]);
}
