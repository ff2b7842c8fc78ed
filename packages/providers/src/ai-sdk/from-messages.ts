/** Converts AI SDK messages to ours. */
import type {
  AssistantMessage,
  ChatMessage,
  Origin,
  TextPart,
  ToolMessage,
  UserMessage,
} from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { isFields, textIn } from "./fields.ts";
import type { AiSdkModel } from "./model.ts";
import { originOf } from "./origin.ts";
import { readFilePart } from "./read-media.ts";
import { readOutput } from "./read-output.ts";
import { readReplyPart } from "./read-reply.ts";

/** Any `ModelMessage` of the AI SDK. */
export interface AnyAiSdkMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly { readonly type: string }[];
}

/** Options of `fromAiSdkMessages`. */
export interface FromAiSdkMessagesOptions {
  /** The model that made the replies. It will get its provider data back; without it, no model does. */
  readonly model?: Pick<AiSdkModel, "provider" | "modelId">;
  /** Makes ids for the messages: AI SDK messages have none. */
  readonly newId?: () => string;
}

/** Converts messages for `session.loadHistory`. Throws a `ProviderError` for an invalid message. */
export function fromAiSdkMessages(
  messages: readonly AnyAiSdkMessage[],
  { model, newId = randomId }: FromAiSdkMessagesOptions = {},
): ChatMessage[] {
  const origin = model && originOf(model);
  return messages.flatMap((message, index) => readMessage(message, index, { origin, newId }));
}

interface Reading {
  readonly origin: Origin | undefined;
  readonly newId: () => string;
}

function randomId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function readMessage(message: AnyAiSdkMessage, index: number, reading: Reading): ChatMessage[] {
  const { role, content } = isFields(message) ? message : {};
  const parts = toParts(content);
  if (parts === undefined) throw unreadable(index, "content", content);
  switch (role) {
    case "system":
      return [{ role, id: reading.newId(), content: textsOf(parts) }];
    case "user":
      return [readUser(parts, reading)];
    case "assistant":
      return readReply(parts, reading);
    case "tool":
      return parts.filter(({ type }) => type === "tool-result").map(readResult);
    default:
      throw unreadable(index, "role", role);
  }
}

function unreadable(index: number, field: string, value: unknown): ProviderError {
  return new ProviderError(
    "invalid_request",
    `Message ${index} is not an AI SDK message: its ${field} is ${JSON.stringify(value) ?? "missing"}. Pass the result of convertToModelMessages, or response.messages`,
  );
}

/** Wraps a plain string in a list of one text part. */
function toParts(content: unknown): readonly Fields[] | undefined {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) && content.every(isFields) ? content : undefined;
}

function textsOf(parts: readonly Fields[]): string {
  return parts.map((part) => textIn(part, "text") ?? "").join("");
}

function readUser(parts: readonly Fields[], { newId }: Reading): UserMessage {
  const isText = parts.length === 1 && parts[0]?.["type"] === "text";
  const content = parts.map((part) =>
    part["type"] === "text" ? readText(part) : readFilePart(part),
  );
  return { role: "user", id: newId(), content: isText ? textsOf(parts) : content };
}

function readText(part: Fields): TextPart {
  return { type: "text", text: textIn(part, "text") ?? "" };
}

/** An empty reply yields no message. */
function readReply(parts: readonly Fields[], { origin, newId }: Reading): AssistantMessage[] {
  const content = parts.flatMap((part) => readReplyPart(part) ?? []);
  if (content.length === 0) return [];
  const isCalling = content.some(
    (part) => part.type === "tool_call" && part.isProviderExecuted !== true,
  );
  const stopReason = isCalling ? "tool-calls" : "stop";
  return [
    {
      role: "assistant",
      id: newId(),
      content,
      stopReason,
      ...(origin !== undefined && { origin }),
    },
  ];
}

function readResult(part: Fields): ToolMessage {
  const toolCallId = textIn(part, "toolCallId") ?? "";
  const toolName = textIn(part, "toolName") ?? "";
  return { role: "tool", id: toolCallId, toolCallId, toolName, ...readOutput(part["output"]) };
}
