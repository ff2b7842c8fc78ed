/** Converts a request to Chat Completions to the provider contract, for functions in a script. */
import type {
  AssistantPart,
  ChatMessage,
  JsonValue,
  ToolDeclaration,
  UserPart,
} from "@capstan/kernel";
import { readDataUrl } from "../data-url.ts";
import type { RequestView } from "../emulation.ts";
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { partsOf, textOf } from "./chat-request.ts";
import type { ChatRequest, ChatWireCall, ChatWireMessage } from "./chat-request.ts";

const systemRoles: readonly string[] = ["system", "developer"];

/** A leading system message is the system prompt. */
export function toRequestView(request: ChatRequest): RequestView {
  const { model, messages, tools, temperature } = request;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const [first] = messages;
  const prompt = first !== undefined && systemRoles.includes(first.role) ? first : undefined;
  const said = prompt === undefined ? messages : messages.slice(1);
  return {
    messages: said.map((message, index) => toMessage(message, `m${index}`, messages)),
    tools: (tools ?? []).flatMap((tool) => (tool.function ? [toDeclaration(tool.function)] : [])),
    options: {
      model,
      ...(prompt !== undefined && { systemPrompt: textOf(prompt) }),
      ...(maxTokens && { maxTokens }),
      ...(typeof temperature === "number" && { temperature }),
    },
  };
}

type Declared = NonNullable<NonNullable<ChatRequest["tools"]>[number]["function"]>;

function toDeclaration({ name, description, parameters }: Declared): ToolDeclaration {
  return { name, description: description ?? "", inputSchema: parameters ?? {} };
}

function toMessage(
  message: ChatWireMessage,
  id: string,
  all: readonly ChatWireMessage[],
): ChatMessage {
  if (systemRoles.includes(message.role)) return { role: "system", id, content: textOf(message) };
  if (message.role === "tool") return toToolMessage(message, all);
  if (message.role !== "assistant") return { role: "user", id, content: toUserParts(message) };
  return { role: "assistant", id, content: toAssistantParts(message), stopReason: "stop" };
}

function toToolMessage(message: ChatWireMessage, all: readonly ChatWireMessage[]): ChatMessage {
  const { content } = message;
  const callId = message.tool_call_id ?? "";
  const call = all.flatMap(({ tool_calls }) => tool_calls ?? []).find(({ id }) => id === callId);
  return {
    role: "tool",
    id: callId,
    toolCallId: callId,
    toolName: call?.function?.name ?? "",
    content: typeof content === "string" ? content : toUserParts(message),
    isError: false,
  };
}

function toUserParts(message: ChatWireMessage): UserPart[] {
  const { content } = message;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return partsOf(message).map(toUserPart);
}

function toUserPart({ text, image_url: image, file }: JsonObject): UserPart {
  const url = isObject(image) ? image["url"] : image;
  const data = isObject(file) ? file["file_data"] : undefined;
  const { mediaType = "", text: bytes = "" } = readDataUrl(asText(url ?? data)) ?? {};
  if (url !== undefined) return { type: "image", mediaType, data: bytes };
  if (file !== undefined) return { type: "document", mediaType, data: bytes };
  return { type: "text", text: asText(text) };
}

function toAssistantParts(message: ChatWireMessage): AssistantPart[] {
  const thinking = message.reasoning_content ?? message.reasoning ?? "";
  const text = textOf(message);
  const { refusal, tool_calls: calls } = message;
  return [
    ...(thinking === "" ? [] : [{ type: "thinking", thinking } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...(typeof refusal === "string" ? [{ type: "refusal", text: refusal } as const] : []),
    ...(calls ?? []).map(toCallPart),
  ];
}

function toCallPart({ id, function: called }: ChatWireCall): AssistantPart {
  const part = { type: "tool_call", id, name: called?.name ?? "" } as const;
  const said = called?.arguments ?? "";
  if (typeof said !== "string") return { ...part, input: said };
  try {
    return { ...part, input: JSON.parse(said) as JsonValue };
  } catch {
    // The text is kept unchanged: it is what the model sent as arguments.
    return { ...part, input: {}, malformedInput: said };
  }
}
