/** Encodes a reply to send it back: verbatim to readers that may see it all, in plain text to others. */
import type { AssistantMessage, AssistantPart, JsonValue, ToolCallPart } from "@capstan/kernel";
import type { Readable } from "../projection/readable-origins.ts";
import { isObject, textAt } from "../wire/wire-json.ts";
import { asJson, optionsOf, toNativePart } from "./encode-native.ts";
import type { AiSdkJson, AiSdkReplyPart } from "./prompt.ts";

export interface ReplyContext {
  readonly readable: Readable;
  /** Wire id of a call to one of our tools. */
  toolCallId(call: ToolCallPart): string;
  toolName(name: string): string;
  /** Ids of provider-run calls that have a result, and of those already sent. */
  readonly answered: ReadonlySet<string>;
  readonly sent: Set<string>;
}

export function toReplyParts(message: AssistantMessage, context: ReplyContext): AiSdkReplyPart[] {
  const parts = message.content.flatMap((part) => toReplyPart(part, message, context) ?? []);
  // Thinking is sent only before the content it led to; an interrupted reply may have none.
  const end = parts.findLastIndex(({ type }) => type !== "reasoning" && type !== "reasoning-file");
  return parts.slice(0, end + 1);
}

function toReplyPart(
  part: AssistantPart,
  message: AssistantMessage,
  context: ReplyContext,
): AiSdkReplyPart | undefined {
  const { native, thinking } = context.readable;
  switch (part.type) {
    case "text":
    case "refusal": {
      const options = native ? optionsOf(part.providerData) : {};
      const isNothing = part.text.trim() === "" && options.providerOptions === undefined;
      return isNothing ? undefined : { type: "text", text: part.text, ...options };
    }
    case "thinking":
      return thinking
        ? { type: "reasoning", text: part.thinking, ...optionsOf(part.providerData) }
        : undefined;
    case "tool_call":
      return part.isProviderExecuted === true
        ? toProviderCall(part, message, context)
        : toToolCall(part, context);
    case "native": {
      const sent = native ? toNativePart(part.data) : undefined;
      const isStray = sent?.type === "tool-result" && !context.sent.has(sent.toolCallId);
      return isStray ? undefined : sent;
    }
    default:
      return part satisfies never;
  }
}

function toToolCall(part: ToolCallPart, context: ReplyContext): AiSdkReplyPart {
  const { native } = context.readable;
  return {
    type: "tool-call",
    toolCallId: context.toolCallId(part),
    toolName: context.toolName(part.name),
    input: native ? asJson(part.input) : toObject(part.input),
    ...(native && optionsOf(part.providerData)),
  };
}

/** Arguments may be any JSON when they come from another model; most models accept only an object. */
function toObject(input: JsonValue): AiSdkJson {
  if (isObject(input)) return asJson(input);
  return input === null ? {} : { input: asJson(input) };
}

/** The provider's id for the call. */
export function vendorIdOf({ providerData }: ToolCallPart): string | undefined {
  return isObject(providerData) ? textAt(providerData, "id") : undefined;
}

/** Sends a call that has a result, or whose reply states that the result is pending; never one interrupted in between. */
function toProviderCall(
  part: ToolCallPart,
  { stopReason }: AssistantMessage,
  { readable, answered, sent }: ReplyContext,
): AiSdkReplyPart | undefined {
  const id = vendorIdOf(part);
  if (!readable.native || id === undefined || part.malformedInput !== undefined) return undefined;
  const isRunning = stopReason === "pause" || stopReason === "tool-calls";
  if (!isRunning && !answered.has(id)) return undefined;
  sent.add(id);
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: part.name,
    input: asJson(part.input),
    providerExecuted: true,
    ...optionsOf(part.providerData),
  };
}
