/** Encodes a reply to send it back: verbatim to readers that may see it all, in plain text to others. */
import type {
  AssistantMessage,
  AssistantPart,
  JsonValue,
  NativePart,
  ToolCallPart,
} from "@capstan/kernel";
import type { CallIds } from "../../projection/call-ids.ts";
import type { Readable } from "../../projection/readable-origins.ts";
import { isBlankText } from "../../projection/shown-media.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, omit, textAt } from "../../wire/wire-json.ts";
import { toTextBlock } from "./encode-media.ts";
import type { WireCallName } from "./encode-tool-result.ts";
import type { AssistantBlock, NativeBlock, TextBlock } from "./request.ts";
import type { ServerTools } from "./server-tools.ts";
import { answeredId } from "./server-tools.ts";

export interface ReplyContext {
  readonly readable: Readable;
  readonly callIds: CallIds;
  readonly serverTools: ServerTools;
  /** Whether to trim a paused reply, which the vendor continues: some models reject one that ends in white space. */
  readonly trimsPaused: boolean;
}

/** Encodes the blocks of a reply. The result of a call must use the same id as its block. */
export function toReplyBlocks(message: AssistantMessage, context: ReplyContext): AssistantBlock[] {
  const blocks = message.content.flatMap((part) => toReplyBlock(part, context) ?? []);
  const isTrimmed = context.trimsPaused && message.stopReason === "pause";
  return isTrimmed ? withoutTrailingSpace(blocks) : blocks;
}

function toReplyBlock(part: AssistantPart, context: ReplyContext): AssistantBlock | undefined {
  const { native } = context.readable;
  switch (part.type) {
    case "text": {
      const block = toTextBlock(part.text);
      const fields = native && isObject(part.providerData) ? part.providerData : {};
      return block && { ...fields, ...block };
    }
    case "refusal":
      return toTextBlock(part.text);
    case "thinking":
      return context.readable.thinking
        ? toThinkingBlock(part.thinking, part.providerData)
        : undefined;
    case "tool_call":
      return part.isProviderExecuted === true
        ? toServerCall(part, context)
        : toToolUse(part, context);
    case "native":
      return native ? toNativeBlock(part, context) : undefined;
    default:
      return part satisfies never;
  }
}

/** Thinking is sent back only if signed, even if its text is empty. */
function toThinkingBlock(
  thinking: string,
  providerData: JsonValue | undefined,
): AssistantBlock | undefined {
  if (!isObject(providerData)) return undefined;
  if (isNativeBlock(providerData)) return providerData;
  const signature = textAt(providerData, "signature");
  if (signature === undefined) return undefined;
  return { ...providerData, type: "thinking", thinking, signature };
}

function toToolUse(part: ToolCallPart, context: ReplyContext): AssistantBlock {
  return {
    ...callFields(part, context),
    type: "tool_use",
    id: context.callIds.wireId(part.id),
    name: toWireName(part.name),
    input: isObject(part.input) ? part.input : wrapInput(part.input),
  };
}

/** The vendor's other fields of a call: its caller, and its toolset. */
function callFields(part: ToolCallPart, context: ReplyContext): JsonObject {
  if (!context.readable.native || !isObject(part.providerData)) return {};
  const { caller } = part.providerData;
  const callerId = isObject(caller) ? textAt(caller, "tool_id") : undefined;
  const isCallerGone = callerId !== undefined && !context.serverTools.ids.has(callerId);
  return omit(part.providerData, isCallerGone ? ["id", "caller"] : ["id"]);
}

/** Other vendors' arguments may be any JSON; here they must be an object. */
function wrapInput(input: JsonValue): JsonObject {
  return input === null ? {} : { input };
}

/** The model may have called a tool that does not exist, under a name the vendor rejects. */
function toWireName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 128) || "_";
}

function toServerCall(
  part: ToolCallPart,
  { serverTools }: ReplyContext,
): AssistantBlock | undefined {
  if (!serverTools.parts.has(part) || !isObject(part.providerData)) return undefined;
  const block = { ...part.providerData, name: part.name, input: part.input };
  return isNativeBlock(block) ? block : undefined;
}

function toNativeBlock(
  part: NativePart,
  { serverTools }: ReplyContext,
): AssistantBlock | undefined {
  if (answeredId(part) !== undefined && !serverTools.parts.has(part)) return undefined;
  return isObject(part.data) && isNativeBlock(part.data) ? part.data : undefined;
}

function isNativeBlock(value: JsonObject): value is NativeBlock {
  return typeof value["type"] === "string";
}

function withoutTrailingSpace(blocks: AssistantBlock[]): AssistantBlock[] {
  const last = blocks.at(-1);
  if (last === undefined || !isTextBlock(last)) return blocks;
  return [...blocks.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}

function isTextBlock(block: AssistantBlock): block is TextBlock {
  return block.type === "text" && "text" in block && typeof block["text"] === "string";
}

export function isThinkingBlock({ type }: AssistantBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Calls of a reply that need a result, by our ids. */
export function callsOf(
  message: AssistantMessage,
  { callIds, readable }: ReplyContext,
): [string, WireCallName][] {
  return message.content.flatMap((part): [string, WireCallName][] => {
    if (part.type !== "tool_call" || part.isProviderExecuted === true) return [];
    const data = readable.native && isObject(part.providerData) ? part.providerData : {};
    const toolset = textAt(data, "toolset_name") ?? "";
    const isSet = !isBlankText(toolset);
    return [[part.id, { id: callIds.wireId(part.id), ...(isSet && { toolset }) }]];
  });
}
