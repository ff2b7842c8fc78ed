/** Encodes the transcript as the input of a request: items in order, every call answered, each linked to its source. */
import type { ChatMessage, ModelFacts, PartReference, ToolMessage } from "@capstan/kernel";
import { CallIds, vendorIdFor } from "../../projection/call-ids.ts";
import type { Target } from "../../wire/protocol.ts";
import { readableOf } from "../../projection/readable-origins.ts";
import type { ShownContents } from "../../projection/shown-contents.ts";
import { partFinder, showContents } from "../../projection/shown-contents.ts";
import { isBlankText } from "../../projection/shown-media.ts";
import { toContent } from "./encode-media.ts";
import { isCustom, toReplyItems } from "./encode-reply.ts";
import type { CallOutputItem, InputContent, WireItem } from "./request.ts";

const callIdShape = { character: /[a-zA-Z0-9_-]/, maxLength: 64 };

export interface EncodedItems {
  readonly items: readonly WireItem[];
  partAt(path: string): PartReference | undefined;
}

export function encodeItems(
  messages: readonly ChatMessage[],
  target: Target,
  facts: ModelFacts | undefined,
): EncodedItems {
  const writer = new ItemWriter(messages, target, facts);
  for (const message of messages) writer.add(message);
  return writer.finish();
}

class ItemWriter {
  readonly #target: Target;
  readonly #facts: ModelFacts | undefined;
  readonly #callIds: CallIds;
  readonly #items: WireItem[] = [];
  /** Source parts of the contents of each item. */
  readonly #sources = new Map<WireItem, readonly PartReference[]>();
  readonly #usedIds = new Set<unknown>();
  /** Calls without a result, by our ids, and the item type of their results. */
  readonly #owed = new Map<string, CallOutputItem["type"]>();

  constructor(messages: readonly ChatMessage[], target: Target, facts: ModelFacts | undefined) {
    this.#target = target;
    this.#facts = facts;
    this.#callIds = new CallIds(messages, callIdShape, vendorIdFor(target.origin));
  }

  add(message: ChatMessage): void {
    if (message.role === "custom") return;
    if (message.role === "tool") return this.#addResult(message);
    this.#settle();
    switch (message.role) {
      case "system":
        if (isBlankText(message.content)) return;
        this.#items.push({ type: "message", role: "system", content: message.content });
        return;
      case "user": {
        const { content, sources } = this.#contents(message);
        if (content.length === 0) return;
        this.#push({ type: "message", role: "user", content }, sources);
        return;
      }
      case "assistant":
        return this.#addReply(message);
      default:
        return message satisfies never;
    }
  }

  finish(): EncodedItems {
    this.#settle();
    const items = this.#items;
    return { items, partAt: partFinder(items, this.#sources, bodyPath) };
  }

  #addReply(message: Extract<ChatMessage, { role: "assistant" }>): void {
    // Failed replies are not sent. The kernel leaves them out, other callers may not.
    if (message.stopReason === "error") return;
    const callIds = this.#callIds;
    let readable = readableOf(message.origin, this.#target.origin);
    let items = toReplyItems(message, { readable, callIds });
    // The vendor accepts an item id only once. A reply that repeats one is sent without vendor data.
    const ids = items.flatMap((item) => ("id" in item ? [item.id] : []));
    if (new Set(ids).size < ids.length || ids.some((id) => this.#usedIds.has(id))) {
      readable = { native: false, thinking: false };
      items = toReplyItems(message, { readable, callIds });
    }
    for (const item of items) if ("id" in item) this.#usedIds.add(item.id);
    this.#items.push(...items);
    for (const part of message.content) {
      if (part.type !== "tool_call" || part.isProviderExecuted === true) continue;
      const isText = isCustom(part, readable.native);
      this.#owed.set(part.id, isText ? "custom_tool_call_output" : "function_call_output");
    }
  }

  #addResult(message: ToolMessage): void {
    const type = this.#owed.get(message.toolCallId);
    // Ignore a result whose call is missing.
    if (type === undefined) return;
    this.#owed.delete(message.toolCallId);
    const call_id = this.#callIds.wireId(message.toolCallId);
    if (typeof message.content === "string") {
      this.#items.push({ type, call_id, output: message.content });
      return;
    }
    const { content, sources } = this.#contents(message);
    this.#push({ type, call_id, output: content.length === 0 ? "" : content }, sources);
  }

  #push(item: WireItem, sources: readonly PartReference[]): void {
    this.#items.push(item);
    this.#sources.set(item, sources);
  }

  #contents(message: Extract<ChatMessage, { role: "user" | "tool" }>): ShownContents<InputContent> {
    return showContents(message, (part) => toContent(part, this.#facts));
  }

  /** The vendor rejects a call without a result. */
  #settle(): void {
    for (const [id, type] of this.#owed) {
      const call_id = this.#callIds.wireId(id);
      this.#items.push({ type, call_id, output: "No result is available for this call." });
    }
    this.#owed.clear();
  }
}

/** `input[3].content[1].image_url`, `input[3].output[1]`; also with dots. */
const bodyPath = /^input\W+(\d+)\W+(?:content|output)\W+(\d+)(?=\W|$)/;
