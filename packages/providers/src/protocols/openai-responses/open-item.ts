/** One item of a streaming reply: a message, reasoning, a call, or something that only the vendor understands. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit, textAt } from "../../wire/wire-json.ts";

import { protocolError } from "./protocol-error.ts";
import { serverCallOf } from "./server-calls.ts";

/** A piece of an item's text: the kind of its event, and the index of the text within the item. */
export interface ItemDelta {
  readonly kind: "text" | "refusal" | "summary" | "reasoning" | "arguments";
  readonly place: number;
  readonly delta: string;
}

/** Tracks what has been emitted: the end of an item repeats all of it, and some servers send it only there. */
export interface OpenItem {
  delta(delta: ItemDelta, parts: ProviderPart[]): void;
  /** Takes the complete item. */
  end(item: JsonObject, parts: ProviderPart[]): void;
}

/** `index` distinguishes calls. */
export function openItem(item: JsonObject, index: number, parts: ProviderPart[]): OpenItem {
  switch (item["type"]) {
    case "message":
      return new MessageItem(item);
    case "reasoning":
      return new ReasoningText();
    case "function_call":
    case "custom_tool_call":
      return new CallItem(item, index, parts);
    default:
      return new NativeItem(index);
  }
}

/** Texts and refusals of a message, one after the other; each becomes a part that keeps the message's id. */
class MessageItem implements OpenItem {
  readonly #start: JsonObject;
  /** Index of the open text. */
  #openIndex: number | undefined;
  #shown = 0;
  #kind: "text" | "refusal" = "text";

  constructor(item: JsonObject) {
    this.#start = item;
  }

  delta({ kind, place, delta }: ItemDelta, parts: ProviderPart[]): void {
    if (kind !== "text" && kind !== "refusal") return;
    this.#open(kind, place, this.#start, parts);
    this.#shown += delta.length;
    parts.push(kind === "text" ? { type: "text_delta", delta } : { type: "refusal_delta", delta });
  }

  end(item: JsonObject, parts: ProviderPart[]): void {
    const content = listOf(item["content"]);
    content.forEach((part, place) => {
      if (!isObject(part) || (this.#openIndex !== undefined && place < this.#openIndex)) return;
      const isRefusal = part["type"] === "refusal";
      const text = textAt(part, isRefusal ? "refusal" : "text") ?? "";
      if (text === "" && place !== this.#openIndex) return;
      this.#open(isRefusal ? "refusal" : "text", place, item, parts);
      const rest = text.slice(this.#shown);
      if (rest !== "") {
        parts.push({ type: isRefusal ? "refusal_delta" : "text_delta", delta: rest });
        this.#shown += rest.length;
      }
      this.#close(item, part, parts);
    });
    // Text that was streamed but is missing from the final item still counts.
    if (this.#openIndex !== undefined) this.#close(item, undefined, parts);
  }

  #open(kind: "text" | "refusal", place: number, item: JsonObject, parts: ProviderPart[]): void {
    if (this.#openIndex === place) return;
    if (this.#openIndex !== undefined) this.#close(item, undefined, parts);
    this.#openIndex = place;
    this.#kind = kind;
    this.#shown = 0;
    if (kind === "text") parts.push({ type: "text_start" });
  }

  #close(item: JsonObject, part: JsonObject | undefined, parts: ProviderPart[]): void {
    this.#openIndex = undefined;
    const annotations = listOf(part?.["annotations"]);
    const { id = null, phase = null } = item;
    const providerData = omit({ id, phase, ...(annotations.length > 0 && { annotations }) }, []);
    parts.push({ type: this.#kind === "text" ? "text_end" : "refusal_end", providerData });
  }
}

/** Joins the texts of the summary, or of the reasoning itself, to one part, with blank lines between them. */
class ReasoningText implements OpenItem {
  #place: number | undefined;
  #kind: ItemDelta["kind"] | undefined;

  delta({ kind, place, delta }: ItemDelta, parts: ProviderPart[]): void {
    if (kind !== "summary" && kind !== "reasoning") return;
    const isNext = this.#kind !== undefined && (this.#kind !== kind || this.#place !== place);
    if (isNext) parts.push({ type: "thinking_delta", delta: "\n\n" });
    this.#kind = kind;
    this.#place = place;
    parts.push({ type: "thinking_delta", delta });
  }

  end(item: JsonObject, parts: ProviderPart[]): void {
    const summary = textsOf(item["summary"]);
    const content = textsOf(item["content"]);
    const texts = [...summary, ...content];
    if (this.#kind === undefined) {
      parts.push({ type: "thinking_start" });
      if (texts.length > 0) parts.push({ type: "thinking_delta", delta: texts.join("\n\n") });
    }
    // A single text is not stored twice: it is the part's `thinking`.
    const isRebuilt = texts.length <= 1;
    const providerData = {
      ...omit(item, isRebuilt ? ["type", "summary", "content"] : ["type"]),
      ...(isRebuilt && content.length > 0 && { isContent: true }),
    };
    parts.push({ type: "thinking_end", providerData });
  }
}

function textsOf(list: JsonValue | undefined): string[] {
  return listOf(list).flatMap((part) => (isObject(part) ? (textAt(part, "text") ?? []) : []));
}

/** A call of one of the caller's tools, with JSON or free text as input. */
class CallItem implements OpenItem {
  readonly #index: number;
  readonly #isCustom: boolean;
  #shown = 0;

  constructor(item: JsonObject, index: number, parts: ProviderPart[]) {
    this.#index = index;
    this.#isCustom = item["type"] === "custom_tool_call";
    const name = textAt(item, "name");
    if (name === undefined) throw protocolError("sent a call without a tool name");
    parts.push({ type: "toolcall_start", index, name, providerData: callData(item) });
  }

  delta({ kind, delta }: ItemDelta, parts: ProviderPart[]): void {
    if (kind !== "arguments" || delta === "") return;
    this.#shown += delta.length;
    parts.push({ type: "toolcall_delta", index: this.#index, delta });
  }

  end(item: JsonObject, parts: ProviderPart[]): void {
    const index = this.#index;
    const whole = textAt(item, this.#isCustom ? "input" : "arguments") ?? "";
    const rest = whole.slice(this.#shown);
    if (rest !== "") parts.push({ type: "toolcall_delta", index, delta: rest });
    // Truncated by the token limit: the input is incomplete.
    if (item["status"] === "incomplete") return;
    const providerData = callData(item);
    if (this.#isCustom) parts.push({ type: "toolcall_end", index, input: whole, providerData });
    else if (this.#shown === 0 && whole === "") {
      parts.push({ type: "toolcall_end", index, input: {}, providerData });
    } else parts.push({ type: "toolcall_end", index, providerData });
  }
}

/** Results refer to a call by `call_id`; the item also has its own id. */
function callData(item: JsonObject): JsonObject {
  const { call_id: id = null, id: itemId = null, type = null, ...rest } = item;
  const isCustom = type === "custom_tool_call";
  return {
    ...omit({ id, itemId, ...(isCustom && { type }) }, []),
    ...omit(rest, ["name", "arguments", "input", "status"]),
  };
}

/** Emitted once complete: only the vendor can read its pieces. */
class NativeItem implements OpenItem {
  readonly #index: number;

  constructor(index: number) {
    this.#index = index;
  }

  delta(): void {}

  end(item: JsonObject, parts: ProviderPart[]): void {
    const call = serverCallOf(item);
    if (call === undefined) {
      parts.push({ type: "native", data: item });
      return;
    }
    const index = this.#index;
    const { name, input } = call;
    parts.push({ type: "toolcall_start", index, name, isProviderExecuted: true });
    parts.push({ type: "toolcall_end", index, input, providerData: { item } });
  }
}
