/** Messages of the AI SDK as messages of ours. */
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

export interface FromAiSdkMessagesOptions {
  /** Who made the replies: it finds in them again what only it can read. Without it nobody does. */
  readonly model?: Pick<AiSdkModel, "provider" | "modelId">;
  /** Ids of the messages, which those of the AI SDK do not have. */
  readonly newId?: () => string;
}

/** For `session.loadHistory`. Throws a `ProviderError` for what is no message. */
export function fromAiSdkMessages(
  messages: readonly AnyAiSdkMessage[],
  { model, newId = randomId }: FromAiSdkMessagesOptions = {},
): ChatMessage[] {
  const origin = model && originOf(model);
  return messages.flatMap((message, place) => readMessage(message, place, { origin, newId }));
}

interface Reading {
  readonly origin: Origin | undefined;
  readonly newId: () => string;
}

function randomId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function readMessage(message: AnyAiSdkMessage, place: number, reading: Reading): ChatMessage[] {
  const { role, content } = isFields(message) ? message : {};
  const parts = toParts(content);
  if (parts === undefined) throw unreadable(place, "content", content);
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
      throw unreadable(place, "role", role);
  }
}

function unreadable(place: number, field: string, value: unknown): ProviderError {
  return new ProviderError(
    "invalid_request",
    `Message ${place} is no message of the AI SDK: its ${field} is ${JSON.stringify(value) ?? "missing"}. Take what convertToModelMessages or response.messages of the AI SDK give`,
  );
}

/** A text alone is a list of one. */
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

/** One that says nothing leaves no message. */
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
