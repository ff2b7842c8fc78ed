/** Converts a request to the Responses API to the provider contract, for functions in a script. */
import type {
  AssistantPart,
  ChatMessage,
  JsonValue,
  ToolContentPart,
  ToolDeclaration,
  UserPart,
} from "@capstan/kernel";
import type { RequestView } from "../emulation.ts";
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { typeOf } from "./responses-request.ts";
import type { ResponsesRequest } from "./responses-request.ts";

export function toRequestView(
  request: ResponsesRequest,
  items: readonly JsonObject[],
): RequestView {
  const { model, instructions, max_output_tokens, temperature, tools } = request;
  return {
    messages: toMessages(items),
    tools: (tools ?? []).filter(({ type }) => type === "function").map(toDeclaration),
    options: {
      model,
      ...(instructions && { systemPrompt: instructions }),
      ...(max_output_tokens && { maxTokens: max_output_tokens }),
      ...(typeof temperature === "number" && { temperature }),
    },
  };
}

function toDeclaration({ name, description, parameters }: JsonObject): ToolDeclaration {
  return {
    name: asText(name),
    description: asText(description ?? ""),
    inputSchema: isObject(parameters) ? parameters : {},
  };
}

/** Adjacent items of the model form one message. */
function toMessages(items: readonly JsonObject[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const [index, item] of items.entries()) {
    const id = `m${index}`;
    const other = toOtherMessage(item, items, id);
    if (other !== undefined) {
      messages.push(other);
      continue;
    }
    const last = messages.at(-1);
    const parts = toAssistantParts(item);
    if (last?.role === "assistant") {
      messages[messages.length - 1] = { ...last, content: [...last.content, ...parts] };
    } else messages.push({ role: "assistant", id, content: parts, stopReason: "stop" });
  }
  return messages;
}

function toOtherMessage(
  item: JsonObject,
  items: readonly JsonObject[],
  id: string,
): ChatMessage | undefined {
  const type = typeOf(item);
  const { role, content } = item;
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    return toToolMessage(item, items);
  }
  if (type !== "message" || role === "assistant") return undefined;
  const parts = partsOf(content);
  if (role === "user") return { role, id, content: parts };
  return {
    role: "system",
    id,
    content: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
  };
}

function toToolMessage(item: JsonObject, items: readonly JsonObject[]): ChatMessage {
  const callId = asText(item["call_id"]);
  const call = items.find(
    (other) => !typeOf(other).endsWith("_output") && other["call_id"] === callId,
  );
  const { output } = item;
  return {
    role: "tool",
    id: callId,
    toolCallId: callId,
    toolName: asText(call?.["name"]),
    content: typeof output === "string" ? output : partsOf(output),
    isError: false,
  };
}

function toAssistantParts(item: JsonObject): AssistantPart[] {
  switch (typeOf(item)) {
    case "message": {
      const { content } = item;
      if (!isList(content)) return [{ type: "text", text: asText(content) }];
      return content.map((part) => {
        const { text, refusal } = isObject(part) ? part : {};
        if (typeof refusal === "string") return { type: "refusal", text: refusal };
        return { type: "text", text: asText(text) };
      });
    }
    case "reasoning":
      return [
        { type: "thinking", thinking: textsOf(item["summary"]).join("\n"), providerData: item },
      ];
    case "function_call":
      return [toCallPart(item)];
    default:
      return [{ type: "native", data: item }];
  }
}

function toCallPart({ call_id, name, arguments: text }: JsonObject): AssistantPart {
  const part = { type: "tool_call", id: asText(call_id), name: asText(name) } as const;
  try {
    return { ...part, input: JSON.parse(asText(text)) as JsonValue };
  } catch {
    // The text is kept unchanged: it is what the model sent as arguments.
    return { ...part, input: {}, malformedInput: asText(text) };
  }
}

function partsOf(content: JsonValue | undefined): (UserPart & ToolContentPart)[] {
  if (!isList(content)) return [{ type: "text", text: asText(content) }];
  return content.flatMap((part) => (isObject(part) ? [toContentPart(part)] : []));
}

function toContentPart(part: JsonObject): UserPart & ToolContentPart {
  const { type, text, image_url, file_data } = part;
  const [, mediaType = "", data = ""] =
    /^data:([^;,]+);base64,(.*)$/s.exec(asText(image_url ?? file_data)) ?? [];
  if (type === "input_image") return { type: "image", mediaType, data };
  if (type === "input_file") return { type: "document", mediaType, data };
  return { type: "text", text: asText(text) };
}

function textsOf(parts: JsonValue | undefined): string[] {
  if (!isList(parts)) return [];
  return parts.map((part) => (isObject(part) ? asText(part["text"]) : ""));
}
