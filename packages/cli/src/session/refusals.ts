/** Finds the calls that were refused. */
import type { ChatMessage, JsonValue, ToolContent } from "@capstan/kernel";
import { isDenial } from "../permissions/explain-to-model.ts";
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
    if (message.role !== "tool") return [];
    const { toolCallId, toolName, content } = message;
    const reason = textOf(content);
    if (message.isDenied !== true && !(message.isError && isDenial(reason))) return [];
    const input = inputs.get(toolCallId) ?? null;
    return [{ toolCallId, toolName, input, reason }];
  });
}

function textOf(content: ToolContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
