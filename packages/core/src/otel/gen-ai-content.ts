/** Content of spans in the form of the GenAI conventions: messages of parts, as JSON. */
import type { AssistantMessage, ChatMessage, SpanContent, ToolContent } from "@capstan/kernel";
import type { Attributes } from "@opentelemetry/api";

/** `maxChars` limits each attribute. */
export function contentAttributes(content: SpanContent, maxChars: number): Attributes {
  const { messages, reply, input, output } = content;
  const fields = {
    "gen_ai.input.messages": messages?.map(toMessage),
    "gen_ai.output.messages": reply && [{ ...toMessage(reply), finish_reason: reply.stopReason }],
    "gen_ai.tool.call.arguments": input,
    "gen_ai.tool.call.result": output && toText(output),
  };
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    attributes[name] = text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  }
  return attributes;
}

type Part = Readonly<Record<string, unknown>>;

function toMessage(message: ChatMessage): { readonly role: string; readonly parts: Part[] } {
  const { role } = message;
  switch (message.role) {
    case "assistant":
      return { role, parts: message.content.map(toReplyPart) };
    case "tool": {
      const { toolCallId: id, content } = message;
      return { role, parts: [{ type: "tool_call_response", id, result: toText(content) }] };
    }
    case "custom":
      return { role, parts: [] };
    default:
      return { role, parts: [{ type: "text", content: toText(message.content) }] };
  }
}

function toReplyPart(part: AssistantMessage["content"][number]): Part {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", content: part.text };
    case "thinking":
      return { type: "reasoning", content: part.thinking };
    case "tool_call":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.input };
    default:
      return { type: part.type };
  }
}

/** Media are named, not recorded. */
function toText(content: ToolContent): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("");
}
