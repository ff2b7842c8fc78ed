/**
 * Encodes a reply to send it back: verbatim to readers that may see it all, in plain text to others. Reasoning is sent only with the item that
 * followed it, and an item's id only with the reasoning that led to it: the vendor rejects one without the other.
 */
import type {
  AssistantMessage,
  AssistantPart,
  JsonValue,
  RefusalPart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from "@capstan/kernel";
import type { CallIds } from "../../projection/call-ids.ts";
import type { Readable } from "../../projection/readable-origins.ts";
import { isBlankText } from "../../projection/shown-media.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, textAt } from "../../wire/wire-json.ts";
import { toWireName } from "../openai-names.ts";
import type {
  CustomCallItem,
  FunctionCallItem,
  NativeItem,
  Phase,
  ReasoningItem,
  RefusalContent,
  ReplyContent,
  WireItem,
} from "./request.ts";
import { isUnanswerable } from "./server-calls.ts";

export interface ReplyContext {
  readonly readable: Readable;
  readonly callIds: CallIds;
}

export function toReplyItems(message: AssistantMessage, context: ReplyContext): WireItem[] {
  const writer = new ReplyWriter(message, context);
  for (const part of message.content) writer.add(part);
  return writer.finish();
}

class ReplyWriter {
  readonly #items: WireItem[] = [];
  readonly #callIds: CallIds;
  readonly #isNative: boolean;
  readonly #keepsIds: boolean;
  readonly #keepsReasoning: boolean;
  /** Message that the last text went into, if the vendor knows it by id. */
  #message: { readonly id: string; readonly content: ReplyContent[] } | undefined;

  constructor({ content, stopReason }: AssistantMessage, { readable, callIds }: ReplyContext) {
    const thinking = content.filter((part) => part.type === "thinking");
    // An interrupted reply may lack the item that its reasoning led to.
    const isReadable = readable.thinking && stopReason !== "aborted";
    this.#callIds = callIds;
    this.#isNative = readable.native;
    this.#keepsReasoning =
      readable.native && isReadable && thinking.every((part) => toReasoning(part) !== undefined);
    this.#keepsIds = readable.native && (thinking.length === 0 || this.#keepsReasoning);
  }

  add(part: AssistantPart): void {
    switch (part.type) {
      case "text":
      case "refusal":
        return this.#addProse(part);
      case "thinking":
        return this.#push(this.#keepsReasoning ? toReasoning(part) : undefined);
      case "tool_call":
        return this.#push(
          part.isProviderExecuted === true
            ? this.#toNative(dataOf(part)["item"])
            : this.#toCall(part),
        );
      case "native":
        return this.#push(this.#toNative(part.data));
      default:
        return part satisfies never;
    }
  }

  finish(): WireItem[] {
    const last = this.#items.findLastIndex(({ type }) => type !== "reasoning");
    return this.#items.slice(0, last + 1);
  }

  #push(item: WireItem | undefined): void {
    if (item === undefined) return;
    this.#message = undefined;
    this.#items.push(item);
  }

  #addProse(part: TextPart | RefusalPart): void {
    if (isBlankText(part.text)) return;
    const data = dataOf(part);
    const id = this.#keepsIds ? textAt(data, "id") : undefined;
    const phase = this.#isNative ? toPhase(data["phase"]) : undefined;
    const spoken = { type: "message", role: "assistant", ...(phase && { phase }) } as const;
    if (id === undefined) {
      const { type, text } = part;
      return this.#push({ ...spoken, content: type === "text" ? text : [toRefusal(part)] });
    }
    if (this.#message?.id === id) {
      this.#message.content.push(toProse(part));
      return;
    }
    const content = [toProse(part)];
    this.#push({ ...spoken, id, status: "completed", content });
    this.#message = { id, content };
  }

  #toCall(part: ToolCallPart): FunctionCallItem | CustomCallItem {
    const { id: _id, itemId, type: _type, ...rest } = this.#isNative ? dataOf(part) : {};
    const known = {
      ...rest,
      ...(this.#keepsIds && typeof itemId === "string" && { id: itemId }),
      call_id: this.#callIds.wireId(part.id),
      name: toWireName(part.name),
    };
    if (isCustom(part, this.#isNative)) {
      const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input);
      return { ...known, type: "custom_tool_call", input };
    }
    const input = part.malformedInput === undefined ? part.input : {};
    return { ...known, type: "function_call", arguments: JSON.stringify(input) };
  }

  #toNative(data: JsonValue | undefined): NativeItem | undefined {
    if (!this.#keepsIds || !isObject(data) || isUnanswerable(data)) return undefined;
    const { type } = data;
    return typeof type === "string" ? { ...data, type } : undefined;
  }
}

function toProse(part: TextPart | RefusalPart): ReplyContent {
  if (part.type === "refusal") return toRefusal(part);
  const annotations = listOf(dataOf(part)["annotations"]);
  return { type: "output_text", text: part.text, annotations };
}

function toRefusal({ text }: RefusalPart): RefusalContent {
  return { type: "refusal", refusal: text };
}

function toPhase(phase: unknown): Phase | undefined {
  return phase === "commentary" || phase === "final_answer" ? phase : undefined;
}

/** Encodes reasoning that is complete and encrypted; returns undefined otherwise, because the vendor stores no copy to refer to. */
function toReasoning(part: ThinkingPart): ReasoningItem | undefined {
  const data = dataOf(part);
  const { status, isContent, summary, content, ...rest } = data;
  const id = textAt(data, "id");
  const sealed = textAt(data, "encrypted_content");
  if (id === undefined || sealed === undefined || status === "incomplete") return undefined;
  const type = isContent === true ? "reasoning_text" : "summary_text";
  const own = part.thinking === "" ? [] : [{ type, text: part.thinking }];
  const ownSummary = isContent === true ? [] : own;
  const ownContent = isContent === true ? own : undefined;
  const shown = content === undefined ? ownContent : listOf(content);
  return {
    ...rest,
    type: "reasoning",
    id,
    encrypted_content: sealed,
    summary: summary === undefined ? ownSummary : listOf(summary),
    ...(shown && { content: shown }),
  };
}

/** Whether the call, and so its result, belongs to a tool that takes free text. */
export function isCustom(part: ToolCallPart, isNative: boolean): boolean {
  return isNative && dataOf(part)["type"] === "custom_tool_call";
}

function dataOf({ providerData }: { readonly providerData?: unknown }): JsonObject {
  return isObject(providerData) ? providerData : {};
}
