/** Finds the calls that were refused. */
import type { ChatMessage, JsonValue, ToolContent } from "@capstan/kernel";
import type { Refusal } from "../print/printer.ts";

export function refusalsIn(messages: readonly ChatMessage[]): readonly Refusal[] {
  const inputs = new Map<string, JsonValue>(
    messages.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((part) =>
            part.type === "tool_call" ? [[part.id, part.input] as const] : [],
          )
        : [],
    ),
  );
  return messages.flatMap((message) => {
    if (message.role !== "tool" || message.isDenied !== true) return [];
    const { toolCallId, toolName, content } = message;
    const input = inputs.get(toolCallId) ?? null;
    return [{ toolCallId, toolName, input, reason: textOf(content) }];
  });
}

function textOf(content: ToolContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
