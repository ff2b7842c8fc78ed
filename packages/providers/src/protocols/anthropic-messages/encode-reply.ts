/** A reply on its way back: verbatim to whoever may read it, and in plain words to others. */
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
  /** The vendor goes on where a paused reply ends; some models refuse one that ends in white space. */
  readonly trimsPaused: boolean;
}

/** The blocks of a reply. The result of a call has to name the call as its block does. */
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

/** Thinking goes back signed or not at all, also if its text is empty. */
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

/** What else the vendor said of a call: who called it, and to which set of tools it belongs. */
function callFields(part: ToolCallPart, context: ReplyContext): JsonObject {
  if (!context.readable.native || !isObject(part.providerData)) return {};
  const { caller } = part.providerData;
  const callerId = isObject(caller) ? textAt(caller, "tool_id") : undefined;
  const isCallerGone = callerId !== undefined && !context.serverTools.ids.has(callerId);
  return omit(part.providerData, isCallerGone ? ["id", "caller"] : ["id"]);
}

/** Arguments of other vendors may be any JSON; here they are an object. */
function wrapInput(input: JsonValue): JsonObject {
  return input === null ? {} : { input };
}

/** A model may have called a tool that never was. */
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

/** The calls of a reply that need a result, by our ids. */
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
