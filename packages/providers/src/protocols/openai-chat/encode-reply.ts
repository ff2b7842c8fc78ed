/** Encodes a reply to send it back: one message with its text, its calls, and its reasoning if the vendor wants it back. */
import type { AssistantMessage as Reply, AssistantPart, ToolCallPart } from "@capstan/kernel";
import type { CallIds } from "../../projection/call-ids.ts";
import { isExplanation } from "../../projection/no-answer.ts";
import type { Readable } from "../../projection/readable-origins.ts";
import { isBlankText } from "../../projection/shown-media.ts";
import type { ChatQuirks } from "../../wire/vendor.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf } from "../../wire/wire-json.ts";
import { toWireName } from "../openai-names.ts";
import type { AssistantMessage, ReplyContent, WireCall } from "./request.ts";

export interface ReplyContext {
  readonly readable: Readable;
  readonly callIds: CallIds;
  readonly quirks: Pick<ChatQuirks, "reasoningField" | "needsReasoningField">;
}

/** Returns undefined if nothing in the reply can be sent to this server. */
export function toReplyMessage(reply: Reply, context: ReplyContext): AssistantMessage | undefined {
  const text = reply.content.map(proseOf).join("");
  const calls = reply.content
    .filter((part) => part.type === "tool_call")
    .filter((call) => call.isProviderExecuted !== true)
    .map((call) => toCall(call, context));
  const isSilent = isBlankText(text);
  if (isSilent && calls.length === 0) return undefined;
  return {
    role: "assistant",
    content: isSilent ? null : (withRefusal(reply, context) ?? text),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...reasoningOf(reply, context),
  };
}

/** Sent only to the server that refused: others may not know the type and get text. Undefined if there is no refusal. */
function withRefusal(
  { content }: Reply,
  { readable }: ReplyContext,
): readonly ReplyContent[] | undefined {
  const refusal = content.map((part) => (isOwnRefusal(part) ? proseOf(part) : "")).join("");
  if (!readable.native || isBlankText(refusal)) return undefined;
  const text = content.map((part) => (isOwnRefusal(part) ? "" : proseOf(part))).join("");
  const said = isBlankText(text) ? [] : [{ type: "text", text } as const];
  return [...said, { type: "refusal", refusal }];
}

/** An explanation is not a refusal by the server, which may not support refusals. */
function isOwnRefusal(part: AssistantPart): boolean {
  return part.type === "refusal" && !isExplanation(part);
}

function proseOf(part: AssistantPart): string {
  return part.type === "text" || part.type === "refusal" ? part.text : "";
}

function toCall(part: ToolCallPart, { callIds, readable }: ReplyContext): WireCall {
  const id = callIds.wireId(part.id);
  const name = toWireName(part.name);
  const { id: _id, type, ...rest } = readable.native ? dataOf(part.providerData) : {};
  if (type === "custom") {
    const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input);
    return { ...rest, id, type: "custom", custom: { name, input } };
  }
  const input = part.malformedInput === undefined ? part.input : {};
  return { ...rest, id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

/** In the form the vendor sent it, and only to the model that produced it. */
function reasoningOf({ content }: Reply, { readable, quirks }: ReplyContext): JsonObject {
  const { reasoningField: field, needsReasoningField: isNeeded } = quirks;
  if (field === undefined) return {};
  const thinking = content.filter((part) => part.type === "thinking" && readable.thinking);
  if (field === "reasoning_details") {
    const details = thinking.flatMap(detailsOf);
    return details.length === 0 ? {} : { reasoning_details: details };
  }
  const text = thinking.map((part) => (part.type === "thinking" ? part.thinking : "")).join("");
  return thinking.length > 0 || isNeeded === true ? { [field]: text } : {};
}

function detailsOf(part: AssistantPart): readonly JsonObject[] {
  if (part.type !== "thinking") return [];
  return listOf(dataOf(part.providerData)["details"]).filter(isObject);
}

function dataOf(providerData: unknown): JsonObject {
  return isObject(providerData) ? providerData : {};
}
