/** Converts a request to the Messages API to the provider contract, for functions in a script. */
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
import { blocksOf } from "./messages-request.ts";
import type { MessagesRequest, Turn } from "./messages-request.ts";

export function toRequestView(request: MessagesRequest, turns: readonly Turn[]): RequestView {
  const { model, max_tokens, temperature, system = "", tools = [] } = request;
  const systemPrompt = blocksOf(system).map(textOf).join("\n");
  return {
    messages: turns.flatMap((turn) => toMessages(turn, turns)),
    tools: tools.map(toDeclaration),
    options: {
      model,
      maxTokens: max_tokens,
      ...(temperature !== undefined && { temperature }),
      ...(systemPrompt !== "" && { systemPrompt }),
    },
  };
}

function toDeclaration({ name, description, input_schema }: JsonObject): ToolDeclaration {
  return {
    name: asText(name),
    description: asText(description ?? ""),
    inputSchema: isObject(input_schema) ? input_schema : {},
  };
}

function toMessages({ role, at, blocks }: Turn, turns: readonly Turn[]): ChatMessage[] {
  const id = `m${at}`;
  const contents = blocks.map(({ block }) => block);
  if (role === "system") return [{ role, id, content: contents.map(textOf).join("\n") }];
  if (role === "assistant") {
    return [{ role, id, content: contents.map(toAssistantPart), stopReason: "stop" }];
  }
  const results = contents.filter(({ type }) => type === "tool_result");
  const rest = contents.filter(({ type }) => type !== "tool_result");
  const said: ChatMessage[] =
    rest.length === 0 ? [] : [{ role: "user", id, content: rest.map(toContentPart) }];
  return [...results.map((block) => toToolMessage(block, turns)), ...said];
}

function toToolMessage(block: JsonObject, turns: readonly Turn[]): ChatMessage {
  const id = asText(block["tool_use_id"]);
  const call = turns
    .flatMap(({ blocks }) => blocks)
    .find((other) => other.block["type"] === "tool_use" && other.block["id"] === id);
  const { content = "", is_error } = block;
  return {
    role: "tool",
    id,
    toolCallId: id,
    toolName: asText(call?.block["name"]),
    content: isList(content)
      ? content.flatMap((inner) => (isObject(inner) ? [toContentPart(inner)] : []))
      : asText(content),
    isError: is_error === true,
  };
}

function toAssistantPart(block: JsonObject): AssistantPart {
  const { type, thinking, signature, id, name, input = {} } = block;
  switch (type) {
    case "text":
      return { type: "text", text: textOf(block) };
    case "thinking":
      return { type: "thinking", thinking: asText(thinking), providerData: signature ?? null };
    case "tool_use":
      return { type: "tool_call", id: asText(id), name: asText(name), input };
    default:
      return { type: "native", data: block };
  }
}

function toContentPart(block: JsonObject): UserPart & ToolContentPart {
  const { type, source } = block;
  if ((type !== "image" && type !== "document") || !isObject(source)) {
    return { type: "text", text: textOf(block) };
  }
  if (source["type"] === "url") return media(type, { url: asText(source["url"]) }, `${type}/*`);
  return media(type, { data: asText(source["data"]) }, asText(source["media_type"]));
}

function media(
  type: "image" | "document",
  source: { readonly data: string } | { readonly url: string },
  mediaType: string,
): UserPart & ToolContentPart {
  return type === "image" ? { type, mediaType, ...source } : { type, mediaType, ...source };
}

function textOf({ text }: { readonly text?: JsonValue }): string {
  return typeof text === "string" ? text : "";
}
